/** Answers of providers to a send that they refuse, as each provider words them: one for every row of its table. */

export interface RecordedRefusal {
  readonly status: number
  readonly body: unknown
}

const graph = (status: number, code: number, message: string, subcode?: number): RecordedRefusal => ({
  status,
  body: {
    error: {
      message: `(#${code}) ${message}`,
      type: 'OAuthException',
      code,
      ...(subcode !== undefined && { error_subcode: subcode }),
      fbtrace_id: 'AbCdEf0123456789',
    },
  },
})

/** By `code` or `code/subcode`. */
export const page: Readonly<Record<string, RecordedRefusal>> = {
  1: graph(500, 1, 'An unknown error occurred'),
  2: graph(503, 2, 'Service temporarily unavailable'),
  1200: graph(400, 1200, 'Temporary send message failure. Please try again later.'),
  4: graph(403, 4, 'Application request limit reached'),
  17: graph(400, 17, 'User request limit reached'),
  32: graph(400, 32, 'Page request limit reached'),
  613: graph(400, 613, 'Calls to this api have exceeded the rate limit.'),
  80006: graph(400, 80006, 'There have been too many calls to this Page account. Wait a bit and try again.'),
  3: graph(400, 3, 'Application does not have the capability to make this API call.'),
  10: graph(403, 10, 'Application does not have permission for this action'),
  '10/2018065': graph(400, 10, 'This message is sent outside of allowed window.', 2018065),
  '10/2018278': graph(400, 10, 'This message is sent outside of allowed window.', 2018278),
  '10/2534022': graph(403, 10, 'This message is sent outside of allowed window.', 2534022),
  '10/*': graph(403, 10, 'This person cannot receive this message right now.', 2018108),
  102: graph(401, 102, 'Session key invalid or no longer valid'),
  104: graph(401, 104, 'Incorrect signature'),
  190: graph(401, 190, 'Error validating access token: Session has expired.', 463),
  368: graph(403, 368, 'The action attempted has been deemed abusive or is otherwise disallowed'),
  458: graph(401, 458, 'The user has not authorized the application.'),
  459: graph(401, 459, 'User checkpointed'),
  460: graph(401, 460, 'Password changed'),
  463: graph(401, 463, 'Session expired'),
  464: graph(401, 464, 'Unconfirmed user'),
  467: graph(401, 467, 'Invalid access token'),
  200: graph(403, 200, "This person isn't receiving messages from you right now."),
  551: graph(400, 551, "This person isn't available right now.", 1545041),
  100: graph(400, 100, 'Param message[text] must be a non-empty UTF-8 encoded string'),
  '100/2018001': graph(400, 100, 'No matching user found', 2018001),
  '100/2534014': graph(400, 100, 'The requested user cannot be found.', 2534014),
  '100/2018008': graph(400, 100, 'Failed to fetch the file from the url', 2018008),
  '100/2018109': graph(400, 100, 'Attachment size exceeds allowable limit', 2018109),
}

const cloud = (status: number, code: number, message: string): RecordedRefusal => ({
  status,
  body: {
    error: {
      message: `(#${code}) ${message}`,
      type: 'OAuthException',
      code,
      error_data: { messaging_product: 'whatsapp', details: message },
      fbtrace_id: 'AbCdEf0123456789',
    },
  },
})

export const whatsapp: Readonly<Record<string, RecordedRefusal>> = {
  0: cloud(401, 0, 'AuthException'),
  3: cloud(500, 3, 'API Method'),
  10: cloud(403, 10, 'API Permission Denied'),
  33: cloud(400, 33, 'Parameter value is not valid: the business phone number has been deleted'),
  190: cloud(401, 190, 'Access token has expired'),
  200: cloud(403, 200, 'API Permission'),
  368: cloud(403, 368, 'Temporarily blocked for policies violations'),
  131005: cloud(403, 131005, 'Access denied'),
  131031: cloud(403, 131031, 'Account has been locked'),
  131037: cloud(400, 131037, 'Display name approval is required before the message can be sent'),
  131042: cloud(400, 131042, 'Business eligibility payment issue'),
  131045: cloud(500, 131045, 'Incorrect certificate: phone number registration error'),
  133010: cloud(400, 133010, 'Phone number not registered'),
  1: cloud(400, 1, 'API Unknown'),
  2: cloud(503, 2, 'API Service'),
  4: cloud(400, 4, 'API Too Many Calls'),
  80007: cloud(400, 80007, 'Rate limit issues'),
  130429: cloud(429, 130429, 'Rate limit hit'),
  131056: cloud(400, 131056, '(Business Account, Consumer Account) pair rate limit hit'),
  131000: cloud(500, 131000, 'Something went wrong'),
  131016: cloud(500, 131016, 'Service unavailable'),
  131057: cloud(500, 131057, 'Account in maintenance mode'),
  133004: cloud(503, 133004, 'Server Temporarily Unavailable'),
  131048: cloud(400, 131048, 'Spam rate limit hit'),
  131049: cloud(400, 131049, 'Message was not delivered to maintain healthy ecosystem engagement'),
  130472: cloud(400, 130472, "User's number is part of an experiment"),
  130497: cloud(403, 130497, 'Business account is restricted from messaging users in this country'),
  131021: cloud(400, 131021, 'Recipient cannot be sender'),
  131026: cloud(400, 131026, 'Message undeliverable'),
  131030: cloud(400, 131030, 'Recipient phone number not in allowed list'),
  131050: cloud(400, 131050, 'The recipient has chosen to stop receiving marketing messages'),
  131047: cloud(400, 131047, 'Re-engagement message'),
  100: cloud(400, 100, 'Invalid parameter'),
  131008: cloud(400, 131008, 'Required parameter is missing'),
  131009: cloud(400, 131009, 'Parameter value is not valid'),
  131051: cloud(400, 131051, 'Unsupported message type'),
  131052: cloud(400, 131052, 'Media download error'),
  131053: cloud(400, 131053, 'Media upload error'),
  132000: cloud(400, 132000, 'Template Param Count Mismatch'),
  132001: cloud(404, 132001, 'Template does not exist'),
  132005: cloud(400, 132005, 'Template Hydrated Text Too Long'),
  132007: cloud(400, 132007, 'Template Format Character Policy Violated'),
  132012: cloud(400, 132012, 'Template Parameter Format Mismatch'),
  132015: cloud(400, 132015, 'Template is Paused'),
  132016: cloud(400, 132016, 'Template is Disabled'),
  135000: cloud(400, 135000, 'Generic user error'),
}

const twilioMessages: Readonly<Record<number, readonly [status: number, message: string]>> = {
  20003: [401, 'Authenticate'],
  20005: [403, 'Account is not active'],
  20006: [403, 'Access Denied'],
  20008: [403, 'Resource not accessible with Test Account Credentials'],
  20404: [404, 'The requested resource was not found'],
  21212: [400, "Invalid 'From' Phone Number"],
  21603: [400, "A 'From' phone number is required."],
  21601: [400, 'Phone number is not a valid SMS-capable inbound phone number'],
  21606: [400, "The 'From' number is not a valid message-capable Twilio phone number for this destination/account"],
  21659: [400, "'From' is not a Twilio phone number or Short Code country mismatch"],
  21660: [400, "Mismatch between the 'From' number and the account"],
  21661: [400, "'From' number is not SMS-capable"],
  21701: [400, 'The Messaging Service does not exist'],
  21703: [400, 'The Messaging Service does not have a phone number available'],
  21704: [400, 'The Messaging Service contains no phone numbers.'],
  21705: [400, 'The Messaging Service Sid is invalid'],
  30002: [400, 'Account suspended'],
  30032: [400, 'Toll-Free Number Has Not Been Verified'],
  30034: [400, 'US A2P 10DLC - Message from an Unregistered Number'],
  20429: [429, 'Too Many Requests'],
  20500: [500, 'Internal Server Error'],
  20503: [503, 'Service Unavailable'],
  21611: [400, "This 'From' number has exceeded the maximum number of queued messages"],
  30001: [400, 'Queue overflow'],
  30003: [400, 'Unreachable destination handset'],
  30008: [400, 'Unknown error'],
  30009: [400, 'Missing inbound segment'],
  30022: [400, 'US A2P 10DLC - Rate Limits Exceeded'],
  30023: [400, 'US A2P 10DLC - Daily Message Cap Reached'],
  30410: [400, 'Provider Timeout Error'],
  21211: [400, "Invalid 'To' Phone Number"],
  21214: [400, "'To' phone number cannot be reached"],
  21217: [400, 'Phone number does not appear to be valid'],
  21219: [400, "'To' phone number not verified"],
  21265: [400, "'To' number cannot be a Short Code"],
  21266: [400, "'To' and 'From' numbers cannot be the same"],
  21408: [400, 'Permission to send an SMS has not been enabled for the region'],
  21608: [400, 'The number is unverified. Trial accounts cannot send messages to unverified numbers'],
  21612: [400, "The 'To' phone number is not currently reachable via SMS"],
  21614: [400, "'To' number is not a valid mobile number"],
  21635: [400, "'To' number cannot be a landline"],
  30004: [400, 'Message blocked'],
  30005: [400, 'Unknown destination handset'],
  30006: [400, 'Landline or unreachable carrier'],
  21610: [400, 'Attempt to send to unsubscribed recipient'],
  63016: [400, 'Failed to send freeform message because you are outside the allowed window'],
  14103: [400, 'Invalid Body'],
  21602: [400, 'Message body is required.'],
  21605: [400, 'Maximum body length is 160 characters'],
  21609: [400, "Invalid 'StatusCallback' URL"],
  21617: [400, 'The concatenated message body exceeds the 1600 character limit'],
  21619: [400, 'A text message body or media urls must be specified.'],
  21620: [400, 'Invalid media URL(s)'],
  21623: [400, 'Number of media files exceeds allowed limit'],
  30007: [400, 'Message filtered'],
  30010: [400, 'Message price exceeds max price'],
  30019: [400, 'Content size exceeds carrier limit'],
}

export const twilio: Readonly<Record<string, RecordedRefusal>> = Object.fromEntries(
  Object.entries(twilioMessages).map(([code, [status, message]]) => {
    const more_info = `https://www.twilio.com/docs/errors/${code}`
    return [code, { status, body: { code: Number(code), message, more_info, status } }]
  }),
)

/** All of them are HTTP 200, except where Slack itself is out of order. */
export const slack = (word: string): RecordedRefusal => ({
  status: word === 'ratelimited' ? 429 : 200,
  body: { ok: false, error: word },
})

const google = (status: number, word: string, message: string, reason?: string): RecordedRefusal => ({
  status,
  body: {
    error: {
      code: status,
      message,
      status: word,
      ...(reason && {
        details: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason, domain: 'googleapis.com' }],
      }),
    },
  },
})

export const rbm: Readonly<Record<string, RecordedRefusal>> = {
  400: google(400, 'INVALID_ARGUMENT', 'Request contains an invalid argument.'),
  403: google(403, 'PERMISSION_DENIED', 'The agent is not launched and the phone is not of a tester.'),
  404: google(404, 'NOT_FOUND', 'Requested entity was not found.'),
  413: { status: 413, body: '<html><title>Error 413 (Request Entity Too Large)!!1</title></html>' },
  UNAUTHENTICATED: google(401, 'UNAUTHENTICATED', 'Request had invalid authentication credentials.'),
  SERVICE_DISABLED: google(403, 'PERMISSION_DENIED', 'The API has not been used in the project.', 'SERVICE_DISABLED'),
  CONSUMER_INVALID: google(403, 'PERMISSION_DENIED', 'Project has been deleted.', 'CONSUMER_INVALID'),
}

export const apple: Readonly<Record<string, RecordedRefusal>> = Object.fromEntries(
  [400, 401, 403, 404, 410, 413].map((status) => [status, { status, body: '' }]),
)
