/** Composition of the sandbox: its handlers beside the conversations, and the conversations as management uses them. */
import type { SandboxConversations } from '../../mgmt/sandbox/conversations.js'
import type { ConversationCommands } from '../conversation/contract.js'
import { createTurnCommand, sandboxBegin, sandboxRemove } from '../sandbox/commands.js'
import { createSandboxRunner, type SandboxRunnerDeps } from '../sandbox/sandbox.js'
import { turnsQuery } from '../sandbox/turns.js'

export function sandboxModule(conversation: Pick<ConversationCommands, 'receiveInbound'>) {
  const turn = createTurnCommand(conversation)
  return {
    commands: [sandboxBegin, sandboxRemove, turn],
    queries: [turnsQuery],
    conversations: (deps: SandboxRunnerDeps): SandboxConversations => createSandboxRunner(() => deps, turn),
  }
}
