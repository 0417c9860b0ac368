/** Setup of the channels on a site, in a workplace and inside assistants. */
import { apiUrl, emulator, inputs, pick, statusCopy } from './channel-forms.js'
import { emailField, form, listField, secretField, textField, urlField } from './forms.js'
import type { ChannelSetup } from './shapes.js'

export const webchat: ChannelSetup = {
  id: 'webchat',
  name: 'Web chat',
  description: 'A chat on your website, served by this installation. Every agent has one from the start.',
  instant: true,
  compliance: false,
  managed: {
    description: 'Ready at once. Paste the widget into your site, or share the address of the full page.',
    inputs: inputs(
      {
        title: textField('Title', 'Shown at the top of the chat.', { maxLength: 60 }),
        greeting: textField('Greeting', 'First line a visitor sees.', { maxLength: 300 }),
        ...pick('brandColor', 'smallLogoUrl', 'privacyPolicyUrl'),
        origins: listField(
          'Sites',
          'Origins that may show the widget; none named means any.',
          { type: 'string', pattern: '^https?://[^/]+$', maxLength: 300 },
          0,
          50,
        ),
      },
      [],
    ),
  },
  unmanaged: [],
  provisioning: statusCopy({
    Active: {
      headline: 'Live',
      text: 'Visitors of your site can write to the agent through the widget or the full page.',
    },
    Disabled: {
      headline: 'Switched off',
      text: 'The widget hides itself and the page says that the chat is closed. Switching it on brings both back.',
    },
  }),
}

export const workchatD: ChannelSetup = {
  id: 'workchatD',
  name: 'Work chat D',
  description: 'A chat for teams at work: the agent talks with employees or partners in direct messages and channels.',
  instant: false,
  compliance: false,
  managed: {
    description: 'We install our app in your workspace; an administrator of the workspace approves once.',
    inputs: inputs(
      {
        workspaceUrl: urlField('Workspace', 'Address at which your team opens the workspace.'),
        adminEmail: emailField('Administrator', 'Who can approve apps in the workspace.'),
        ...pick('displayName', 'smallLogoUrl'),
      },
      ['workspaceUrl', 'adminEmail'],
    ),
  },
  unmanaged: [
    {
      provider: 'slack',
      name: 'Slack',
      description: 'An app of your own in one workspace.',
      steps: [
        'Create an app with a bot user that may read direct messages and write messages, and install it.',
        'Copy the bot token and the signing secret.',
        'Save this form, then enter the ingress address of the channel for events and for interactivity.',
        'Subscribe to messages in direct messages, and in channels if the agent should answer there.',
      ],
      credentials: form(
        {
          botToken: secretField('Bot token', 'Begins with xoxb-.'),
          signingSecret: secretField(
            'Signing secret',
            'Under basic information of the app; it signs what is sent to us.',
          ),
          apiUrl,
        },
        ['botToken', 'signingSecret'],
      ),
    },
    emulator,
  ],
  provisioning: statusCopy({
    ActionRequired: {
      headline: 'Approve the app',
      text: 'An administrator of the workspace has an app request to accept. The detail below names whom we asked.',
    },
    Active: { headline: 'Installed', text: 'People in the workspace can write to the agent, and the agent to them.' },
  }),
}

export const aiChatE: ChannelSetup = {
  id: 'aiChatE',
  name: 'AI chat E',
  description: 'A chat inside an AI assistant that passes people to your agent. Plain text and links.',
  instant: false,
  compliance: false,
  managed: {
    description: 'We list the agent with the assistant; the listing is reviewed before people can find it.',
    inputs: inputs(
      {
        ...pick('displayName', 'description', 'smallLogoUrl', 'websiteUrl', 'privacyPolicyUrl', 'termsOfServiceUrl'),
        ...pick('legalName', 'contactEmail', 'countries'),
        startingQuestions: listField(
          'Starting questions',
          'Things people might ask first.',
          { type: 'string', minLength: 5, maxLength: 120 },
          1,
          6,
        ),
      },
      ['displayName', 'description', 'websiteUrl', 'privacyPolicyUrl'],
    ),
  },
  unmanaged: [emulator],
  provisioning: statusCopy({
    Provisioning: {
      headline: 'Listing in review',
      text: 'The assistant reviews name, description and privacy policy. Nothing is public before it agrees.',
    },
    Active: { headline: 'Listed', text: 'People can find the agent inside the assistant and talk with it there.' },
  }),
}
