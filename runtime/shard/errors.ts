/** Ways in which a shard is no longer here. */

/** The shard is not served here (any more), and the command this is the answer to was not and will not be decided here. */
export class NotOwner extends Error {
  override readonly name = 'NotOwner'
}

/** The shard does not take the command now: its mailbox is full, or its version does not know it yet. */
export class MailboxFull extends Error {
  override readonly name = 'MailboxFull'
}

/** Whether the command was decided can no longer be found out. */
export class OutcomeUnknown extends Error {
  override readonly name = 'OutcomeUnknown'
}

/** The log of the shard ends before what it had already acknowledged: its servers have lost data. */
export class LogTruncated extends Error {
  override readonly name = 'LogTruncated'
}
