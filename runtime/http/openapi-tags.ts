/** The descriptions of tags, in the order of the document. A test fails for a tag without one. */

export const tagDescriptions: Readonly<Record<string, string>> = {
  Access: 'Who is calling and what the token allows; signing in as a person.',
  Org: 'The org a token belongs to, and its settings.',
  'API keys': 'Keys for programs: each belongs to one org and carries the scopes chosen for it. A key is shown once.',
  'Org webhooks': 'Endpoints that get the events of an org, the log of their deliveries, and replays.',
  Agents: 'The agents of an org: who each is, how it behaves, who changed it, and carrying it elsewhere.',
  Playbooks: 'The modes an agent works in, and the messages it has ready.',
  Knowledge: 'What an agent knows: things it can show, the collections they stand in, and facts.',
  'Agent capabilities': 'What an agent can do beyond talking: scheduling, notifications, integrations and tools.',
  Connections: 'Sign-ins at outside providers: those of the org, and those of an agent for one of its tools.',
  'Gateway access': 'How an agent reaches the gateway: its access token and its signing secret, each shown once.',
  Channels: 'Where an agent can be reached: its bindings, their setup, pacing and compliance.',
  People:
    'Whom an agent knows: what is said of them, how they can be reached, and files of them to read in or take out.',
  Personas: 'Simulated people to try an agent with: their messages are recorded, and nothing reaches a channel.',
  Outreach: 'Openings that an agent begins conversations with, their sends to people, and when it may send.',
  Campaigns: 'One outreach to many people: who is left out and why, the sending itself, and what became of everybody.',
  'Outreach links': 'Links to a page where testers enter a number and are written to.',
  Journeys: 'What a marketing platform calls to have an outreach sent, and to learn what became of it.',
  Traffic: 'What was said between an agent and people, and what was decided on the way: kept for 30 days.',
  Messages: 'Sending to people, and seeing what AML becomes before it is sent.',
  Capabilities: 'What the channel of a person can show.',
  Webhook: 'Where the events of an agent go.',
  'Web chat': 'The chat on a website: its page, its live connection and what was said there.',
  Media: 'What messages showed, under addresses that cannot be guessed.',
  Providers: 'Where the providers of channels call in, signed their own way.',
  Catalogs:
    'What the installation brings along: templates, personalities, guardrails, tools and setup forms to pick from.',
  System:
    'The installation itself, for those who run it: how a node is, where its shards are, moving one by hand, and backups.',
  Emulator: 'Emulated phones: what they were sent, and what they are made to do.',
  Documentation: 'This description of the API, for programs and for people.',
}
