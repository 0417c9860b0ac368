/** Setup of the business chat that a phone maker runs in its own messages app. */
import { apiUrl, emulator, inputs, pick, statusCopy } from './channel-forms.js'
import { form, secretField, textField } from './forms.js'
import type { ChannelSetup } from './shapes.js'

export const vendorMessages: ChannelSetup = {
  id: 'vendorMessages',
  name: 'Vendor messages',
  description: 'Business chat in the messages app of one phone maker, with native list and time pickers.',
  instant: false,
  compliance: false,
  managed: {
    description: 'We register the business with the phone maker and take it through the review.',
    inputs: inputs(
      {
        ...pick('displayName', 'description', 'legalName', 'registrationNumber', 'legalAddress', 'smallLogoUrl'),
        ...pick(
          'websiteUrl',
          'contactPhone',
          'contactEmail',
          'privacyPolicyUrl',
          'responsibleName',
          'responsibleEmail',
        ),
        supportHours: textField('Hours', 'When people on the team can be reached; shown to users.'),
        testAccounts: textField('Test accounts', 'Accounts of testers, separated by commas.', { maxLength: 1000 }),
      },
      ['displayName', 'legalName', 'smallLogoUrl', 'websiteUrl', 'contactPhone'],
    ),
  },
  unmanaged: [
    {
      provider: 'apple',
      name: 'Messages for Business',
      description: 'A registered business that is connected to your own messaging service provider account.',
      steps: [
        'Register the business and connect it to your messaging service provider account.',
        'Copy business id, provider id and shared secret.',
        'Save this form, then enter the ingress address of the channel as the webhook of the provider account.',
        'Test with the internal account first; the review follows before customers can write.',
      ],
      credentials: form(
        {
          businessId: textField('Business id', 'Id of the registered business.'),
          mspId: textField('Provider id', 'Id of the messaging service provider account.'),
          secret: secretField('Shared secret', 'Signs the tokens in both directions.'),
          apiUrl,
        },
        ['businessId', 'mspId', 'secret'],
      ),
    },
    emulator,
  ],
  provisioning: statusCopy({
    Provisioning: {
      headline: 'In review',
      text: 'The phone maker reviews brand, answers and hours. Test accounts can write already; allow one to three weeks.',
    },
    Active: {
      headline: 'Live',
      text: 'People can start conversations from maps, search and your website. The agent answers; it cannot write first.',
    },
  }),
}
