/** Setup of the channels that reach a phone by its number: rcs and sms. */
import { apiUrl, emulator, inputs, pick, statusCopy } from './channel-forms.js'
import { choiceField, countField, fields, form, secretField, textField, urlField } from './forms.js'
import type { ChannelSetup } from './shapes.js'

export const rcs: ChannelSetup = {
  id: 'rcs',
  name: 'RCS',
  description: 'Verified business messages in the messaging app of the phone, with cards, chips and read receipts.',
  instant: false,
  compliance: true,
  managed: {
    description: 'We register a verified sender with the carriers. Approval takes from days to a few weeks.',
    inputs: inputs(
      {
        ...pick('displayName', 'description', 'smallLogoUrl', 'largeBannerUrl', 'brandColor'),
        ...pick('contactEmail', 'contactPhone', 'websiteUrl', 'privacyPolicyUrl', 'termsOfServiceUrl'),
        ...pick('legalName', 'registrationNumber', 'legalAddress', 'responsibleName', 'responsibleEmail', 'countries'),
        useCase: choiceField('Use', 'What most of the messages will be.', [
          'transactional',
          'promotional',
          'one-time-codes',
          'mixed',
        ]),
        monthlyMessages: countField('Messages a month', 'A rough estimate.', 1, 100_000_000),
        ...pick('optInDescription', 'sampleMessages'),
      },
      ['displayName', 'smallLogoUrl', 'websiteUrl', 'privacyPolicyUrl', 'termsOfServiceUrl', 'legalName', 'countries'],
    ),
  },
  unmanaged: [
    {
      provider: 'rbm',
      name: 'RCS Business Messaging',
      description: 'Your own agent in the RCS Business Messaging console, reached with its service account.',
      steps: [
        'Create a service account key for the agent in the developer console and keep the JSON file.',
        'Choose a client token of your own; it signs everything that the platform sends to us.',
        'Save this form, then enter the ingress address of the channel and the same token as webhook of the agent.',
        'Invite test phones until the agent is launched; an unlaunched agent reaches nobody else.',
      ],
      credentials: form(
        {
          agentId: textField('Agent id', 'Id of the agent in the console.'),
          serviceAccount: {
            ...fields(
              {
                client_email: textField('Client email', 'client_email of the key file.'),
                private_key: secretField('Private key', 'private_key of the key file, with its first and last line.', {
                  maxLength: 8192,
                }),
                token_uri: urlField('Token address', 'token_uri of the key file; left out, the usual one.'),
              },
              ['client_email', 'private_key'],
            ),
            title: 'Service account',
            description: 'From the key file of the service account.',
          },
          clientToken: secretField('Client token', 'The token given at the webhook in the console.'),
          messageTrafficType: choiceField('Traffic type', 'Kind of the messages, where a region requires it.', [
            'AUTHENTICATION',
            'TRANSACTION',
            'PROMOTION',
            'SERVICEREQUEST',
            'ACKNOWLEDGEMENT',
          ]),
          apiUrl,
        },
        ['agentId', 'serviceAccount', 'clientToken'],
      ),
    },
    emulator,
  ],
  provisioning: statusCopy({
    Provisioning: {
      headline: 'In review by the carriers',
      text: 'The sender was created and is being verified, then launched network by network. Test phones work already.',
    },
    ActionRequired: {
      headline: 'Verification needs an answer',
      text: 'Carriers ask for brand material or proof of how people agree. The detail below says for what; supply it here.',
    },
    Active: {
      headline: 'Verified and launched',
      text: 'The agent reaches RCS phones on the launched networks. People cannot write first; use an Outreach or a link.',
    },
  }),
}

/** Holds where the field is given; a strict validator needs it declared beside `required`. */
function requiresField(field: string) {
  return { type: 'object', properties: { [field]: true }, required: [field] }
}

const twilioCredentials = form(
  {
    accountSid: textField('Account SID', 'Begins with AC; on the first page of the console.'),
    authToken: secretField('Auth token', 'Beside the account SID; it also signs what is sent to us.'),
    from: textField('Sender', 'Number with country code, short code or sender name.', { maxLength: 20 }),
    messagingServiceSid: textField('Messaging service', 'Begins with MG; instead of one sender.'),
    apiUrl,
  },
  ['accountSid', 'authToken'],
  { anyOf: ['from', 'messagingServiceSid'].map(requiresField) },
)

const smppCredentials = form(
  {
    host: textField('Host', 'Host name or address of the message center.', { maxLength: 253 }),
    port: countField('Port', 'Usually 2775, or 3550 with TLS.', 1, 65535, { default: 2775 }),
    systemId: textField('System id', 'The account to bind with.', { maxLength: 15 }),
    password: secretField('Password', 'Its password; most message centers take at most eight characters.'),
    systemType: textField('System type', 'Only if the message center asks for one.', { maxLength: 12 }),
    from: textField('Sender', 'Number, short code or sender name.', { maxLength: 20 }),
    tls: { type: 'boolean', default: false, title: 'TLS', description: 'Encrypt the connection.' },
    windowSize: countField('Window', 'Messages under way before the first is acknowledged.', 1, 1000, { default: 10 }),
    ratePerSecond: countField('Rate', 'Message parts a second that the contract allows.', 1, 10_000, { default: 10 }),
  },
  ['host', 'port', 'systemId', 'password', 'from'],
)

export const sms: ChannelSetup = {
  id: 'sms',
  name: 'SMS',
  description: 'Text messages to any mobile phone. Cards and choices arrive as numbered text that can be answered.',
  instant: false,
  compliance: true,
  managed: {
    description: 'We obtain a number and register the business and its use with the carriers where they require it.',
    inputs: inputs(
      {
        numberType: choiceField(
          'Kind of number',
          'Local is quick, toll-free is nationwide, short codes carry high volume.',
          ['local', 'toll-free', 'short-code'],
        ),
        country: textField('Country', 'Country of the number, as a two-letter code.', { pattern: '^[A-Z]{2}$' }),
        areaCode: textField('Area code', 'A preference; it cannot be guaranteed.', { pattern: '^[0-9]{2,5}$' }),
        ...pick('legalName', 'registrationNumber', 'legalAddress', 'websiteUrl', 'privacyPolicyUrl'),
        ...pick('termsOfServiceUrl', 'contactEmail', 'contactPhone', 'responsibleName', 'responsibleEmail'),
        useCase: choiceField('Use', 'What most of the messages will be.', [
          'customer-care',
          'account-notices',
          'delivery-notices',
          'marketing',
          'one-time-codes',
          'mixed',
        ]),
        monthlyMessages: countField(
          'Messages a month',
          'A rough estimate; it decides which number fits.',
          1,
          100_000_000,
        ),
        ...pick('optInDescription', 'sampleMessages'),
      },
      ['country', 'legalName', 'websiteUrl', 'useCase', 'optInDescription', 'sampleMessages'],
    ),
  },
  unmanaged: [
    {
      provider: 'twilio',
      name: 'Twilio',
      description: 'A number or messaging service of your own Twilio account.',
      steps: [
        'Copy account SID and auth token from the first page of the console.',
        'Name a sender number or a messaging service; United States numbers need a registered campaign first.',
        'Save this form, then enter the ingress address of the channel as the webhook for incoming messages.',
        'If the account answers the opt-out words itself, leave compliance off here, or people get two answers.',
      ],
      credentials: twilioCredentials,
    },
    {
      provider: 'smpp',
      name: 'SMPP 3.4',
      description: 'A direct connection to the message center of a carrier or an aggregator.',
      steps: [
        'Ask the carrier for host, port, system id and password of a transceiver bind.',
        'Have the address of this installation allowed by the carrier.',
        'Set window and rate to what the contract allows; faster sending is refused by the message center.',
      ],
      credentials: smppCredentials,
    },
    emulator,
  ],
  provisioning: statusCopy({
    Provisioning: {
      headline: 'Number being registered',
      text: 'The number is reserved and the business is registered with the carriers. This takes from one to fifteen days.',
    },
    ActionRequired: {
      headline: 'The carriers have a question',
      text: 'Most often about how people agree or about the samples. The detail below says what; change it here.',
    },
    Active: {
      headline: 'Number live',
      text: 'The agent sends and receives text messages. Turn compliance on to answer opt-out words.',
    },
  }),
}
