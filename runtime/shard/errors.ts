/** Errors of a shard: not owner, mailbox full, outcome unknown, log truncated. */

/** This process does not serve the shard, or no longer; it has not decided the command and will not. */
export class NotOwner extends Error {
  override readonly name = 'NotOwner'
}

/** The shard does not accept the command now: its mailbox is full, or its version does not know the command yet. */
export class MailboxFull extends Error {
  override readonly name = 'MailboxFull'
}

/** It can no longer be determined whether the command was decided. */
export class OutcomeUnknown extends Error {
  override readonly name = 'OutcomeUnknown'
}

/** The log of the shard ends before entries that it had acknowledged: its servers have lost data. */
export class LogTruncated extends Error {
  override readonly name = 'LogTruncated'
}
