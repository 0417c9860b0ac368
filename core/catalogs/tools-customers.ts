/** Tools around people and their time: calendar, customer records, tickets, mail. */
import {
  argumentField,
  choiceField,
  connectionField,
  countField,
  emailField,
  fields,
  form,
  secretField,
  textField,
  urlField,
} from './forms.js'
import type { Tool } from './shapes.js'

const moment = (description: string) => argumentField(description, { format: 'date-time', maxLength: 40 })
const address = (description: string) => argumentField(description, { format: 'email', maxLength: 254 })

export const customerTools: readonly Tool[] = [
  {
    id: '@svc/tool.calendar',
    version: '1.1.0',
    name: 'Calendar',
    description: 'Reads busy times from a CalDAV calendar and writes, moves or removes events in it.',
    category: 'calendar',
    parameters: fields(
      {
        action: argumentField('What to do: busy lists taken times; create, move and remove change one event.', {
          enum: ['busy', 'create', 'move', 'remove'],
        }),
        from: moment('Start with offset, for busy, create and move.'),
        to: moment('End with offset, for busy, create and move.'),
        eventId: argumentField('The event to move or remove, as create returned it.'),
        title: argumentField('Title of a new event.', { maxLength: 200 }),
        notes: argumentField('Notes for the event; no health or payment details.', { maxLength: 2000 }),
        attendeeEmail: address('Whom to invite to a new event.'),
      },
      ['action'],
    ),
    configSchema: form(
      {
        connectionId: connectionField(),
        calendarUrl: urlField('Calendar address', 'The CalDAV address of the one calendar to read and write.'),
        username: textField('User name', 'The account that owns the calendar or may write to it.'),
        password: secretField('App password', 'An app password of that account, not the one people sign in with.'),
        bufferMinutes: countField('Buffer in minutes', 'Kept free before and after each event.', 0, 240, {
          default: 0,
        }),
      },
      ['calendarUrl', 'username', 'password'],
    ),
  },
  {
    id: '@svc/tool.crm-record',
    version: '1.1.1',
    name: 'Customer record',
    description: 'Finds a contact in the CRM by phone or email, or saves one with fields and a note.',
    category: 'crm',
    parameters: fields(
      {
        action: argumentField('find looks a contact up; save creates or updates it.', {
          enum: ['find', 'save'],
        }),
        phone: argumentField('Phone number in international form.', { pattern: '^\\+[1-9][0-9]{6,14}$' }),
        email: address('Email address.'),
        fullName: argumentField('Full name, for save.', { maxLength: 200 }),
        stage: argumentField('Stage of the contact, for save.', {
          enum: ['new', 'contacted', 'qualified', 'converted', 'lost'],
        }),
        fields: {
          type: 'object',
          description: 'Further fields by their key in the CRM, for save.',
          additionalProperties: { type: 'string', maxLength: 2000 },
          maxProperties: 50,
        },
        note: argumentField('One note of at most five lines, for save.', { maxLength: 2000 }),
      },
      ['action'],
    ),
    configSchema: form(
      {
        connectionId: connectionField(),
        baseUrl: urlField('API address', 'Where the CRM answers, up to and including its version.'),
        apiKey: secretField('API key', 'A key that may read and write contacts and nothing more.'),
        ownerId: textField('Owner', 'Whom new contacts are assigned to; left out, the CRM decides.'),
        pipeline: textField('Pipeline', 'Where new leads enter; left out, only the contact is written.'),
      },
      ['baseUrl', 'apiKey'],
    ),
  },
  {
    id: '@svc/tool.helpdesk-ticket',
    version: '1.1.1',
    name: 'Helpdesk ticket',
    description: 'Opens a ticket, adds to an open one, or reads the state of one.',
    category: 'support',
    parameters: fields(
      {
        action: argumentField('open writes a new ticket, add appends to one, read returns its state.', {
          enum: ['open', 'add', 'read'],
        }),
        ticketNumber: argumentField('The ticket to add to or read.', { maxLength: 64 }),
        subject: argumentField('The thing and the fault in under ten words, for open.', { maxLength: 150 }),
        text: argumentField('What the person wants, sees, and tried, for open and add.', { maxLength: 8000 }),
        priority: argumentField('urgent only for danger, loss of money or standstill.', {
          enum: ['low', 'normal', 'urgent'],
        }),
        requesterEmail: address('Who is to be answered, for open.'),
      },
      ['action'],
    ),
    configSchema: form(
      {
        connectionId: connectionField(),
        baseUrl: urlField('API address', 'Where the helpdesk answers.'),
        accountEmail: emailField('Account', 'The helpdesk user in whose name tickets are written.'),
        apiToken: secretField('API token', 'A token of that user.'),
        queue: textField('Queue', 'Where new tickets land; left out, the helpdesk decides.'),
      },
      ['baseUrl', 'accountEmail', 'apiToken'],
    ),
  },
  {
    id: '@svc/tool.mail',
    version: '1.0.0',
    name: 'Mail',
    description: 'Sends one plain email through the mail server of the business.',
    category: 'communication',
    parameters: fields(
      {
        to: address('Who gets it.'),
        subject: argumentField('Subject line.', { maxLength: 150 }),
        text: argumentField('Plain text, no markup.', { maxLength: 8000 }),
        replyTo: address('Where an answer goes, if not to the sender.'),
      },
      ['to', 'subject', 'text'],
    ),
    configSchema: form(
      {
        host: textField('Mail server', 'Host name of the outgoing server.', { format: 'hostname' }),
        port: countField('Port', '465 for TLS, 587 for STARTTLS.', 1, 65535, { default: 587 }),
        security: choiceField('Security', 'How the connection is encrypted.', ['tls', 'starttls'], {
          default: 'starttls',
        }),
        username: textField('User name', 'The account that sends.'),
        password: secretField('Password', 'Its password, or an app password.'),
        fromAddress: emailField('Sender address', 'What people see as the sender.'),
        fromName: textField('Sender name', 'Shown beside the address.'),
        recipients: choiceField(
          'May write to',
          'team confines it to addresses of the sender domain.',
          ['team', 'anyone'],
          {
            default: 'team',
          },
        ),
      },
      ['host', 'port', 'username', 'password', 'fromAddress'],
    ),
  },
]
