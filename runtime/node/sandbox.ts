/** The sandbox of the gateway: what runs where its conversations are, and the conversations as management sees them. */
import type { SandboxConversations } from '../../mgmt/sandbox/conversations.js'
import type { ConversationCommands } from '../conversation/contract.js'
import { sandboxBegin, sandboxForget, sandboxTurn } from '../sandbox/commands.js'
import { openSandbox, type SandboxDeps } from '../sandbox/sandbox.js'
import { lookedAt } from '../sandbox/turns.js'

export function sandboxModule(conversation: Pick<ConversationCommands, 'receiveInbound'>) {
  const turn = sandboxTurn(conversation)
  return {
    commands: [sandboxBegin, sandboxForget, turn],
    queries: [lookedAt],
    conversations: (deps: SandboxDeps): SandboxConversations => openSandbox(() => deps, turn),
  }
}
