/** Parts of managed turns broken on purpose, one at a time, to prove that the judge finds each. */
import type { Conversation } from '../../../core/conversation/state.js'
import type { ConversationCommands } from '../../../runtime/conversation/contract.js'
import { conversationTable } from '../../../runtime/conversation/tables.js'
import type { TurnCutListener } from '../../../runtime/conversation/transaction.js'
import type { Command, EffectContext, Shards, Tx } from '../../../runtime/shard/contract.js'
import type { Key, Reader, Table } from '../../../runtime/store/contract.js'
import type { TurnCommands } from '../../../runtime/turn/contract.js'
import type { TurnPort } from '../../../runtime/turn/port.js'
import { openTurnTable, playTable } from '../../../runtime/turn/state.js'
import { agentKey } from './operator.js'

/** What a mutant replaces; each function gets the part as it is. */
export interface TurnMutation {
  readonly turn?: (commands: TurnCommands) => Partial<TurnCommands>
  readonly conversation?: (commands: ConversationCommands) => Partial<ConversationCommands>
  readonly onTurnCut?: (listener: TurnCutListener) => TurnCutListener
  readonly port?: (port: TurnPort) => TurnPort
  readonly shards?: (shards: Shards) => Shards
  readonly context?: (context: EffectContext) => EffectContext
}

export interface TurnMutant {
  readonly name: string
  /** A seed from which on it is found soon. */
  readonly near: number
  readonly mutation: TurnMutation
}

/** The same command with another view of the rows, or of its input. */
function withTx<I, R>(command: Command<I, R>, view: (tx: Tx) => Tx): Command<I, R> {
  return { ...command, decide: (tx, input, meta) => command.decide(view(tx), input, meta) }
}

function withInput<I, R>(command: Command<I, R>, change: (input: I, tx: Tx) => I): Command<I, R> {
  return { ...command, decide: (tx, input, meta) => command.decide(tx, change(input, tx), meta) }
}

/** The same object with other methods in place of some. */
function replacing<T extends object>(target: T, methods: Partial<T>): T {
  return new Proxy(target, {
    get(of, name) {
      const value = methods[name as keyof T] ?? of[name as keyof T]
      return typeof value === 'function' ? value.bind(of) : value
    },
  })
}

type Change = (conversation: Conversation) => Conversation

function reading<R extends Reader>(reader: R, change: Change): R {
  function get<K extends Key, V>(table: Table<K, V>, key: K): V | undefined {
    const value = reader.get(table, key)
    return value && isConversations(table) ? (change(value as unknown as Conversation) as V) : value
  }
  return replacing<Reader>(reader, { get }) as R
}

function writing(tx: Tx, change: Change): Tx {
  function put<K extends Key, V>(table: Table<K, V>, key: K, value: V): void {
    tx.put(table, key, isConversations(table) ? (change(value as Conversation) as V) : value)
  }
  return replacing(tx, { put })
}

function withoutWrites(tx: Tx, tables: readonly unknown[]): Tx {
  function put<K extends Key, V>(table: Table<K, V>, key: K, value: V): void {
    if (!tables.includes(table)) tx.put(table, key, value)
  }
  return replacing(tx, { put })
}

const isConversations = (table: unknown) => table === conversationTable

const withoutTurn: Change = ({ turn: _hidden, ...rest }) => rest

/** The open turn that a command does not see stays as it was. */
function hidingTurn<I extends object>(command: Command<I, never>): Command<I, never> {
  return withTx(command, (tx) => {
    let hidden: Conversation['turn']
    const seen = reading(tx, (conversation) => {
      hidden = conversation.turn
      return withoutTurn(conversation)
    })
    return writing(seen, (conversation) => ({ ...conversation, ...(hidden && !conversation.turn && { turn: hidden }) }))
  })
}

/** The conversation keeps the turn that a STOP ends. */
function keepingTurn(tx: Tx): Tx {
  return writing(tx, (after) => {
    const before = tx.get(conversationTable, [after.asid])
    return before?.turn && !after.turn ? { ...after, turn: before.turn } : after
  })
}

export const turnMutants: readonly TurnMutant[] = [
  {
    name: 'An outcome that counts for whatever step the turn waits at',
    near: 9,
    mutation: {
      turn: ({ advance }) => ({
        advance: withInput(advance, (input, tx) => {
          const open = tx.get(openTurnTable, [input.asid])
          return open ? { ...input, turnId: open.id, number: open.step } : input
        }),
      }),
    },
  },
  {
    name: 'A STOP that cuts no turn',
    near: 7,
    mutation: {
      conversation: ({ receiveInbound }) => ({ receiveInbound: withTx(receiveInbound, keepingTurn) }),
      onTurnCut: (listener) => (tx, asid, cut, at) => (cut.why === 'stopped' ? undefined : listener(tx, asid, cut, at)),
    },
  },
  {
    name: 'An attempt at a tool outside that is not marked',
    near: 2,
    mutation: {
      turn: ({ attempting }) => ({ attempting: withTx(attempting, (tx) => withoutWrites(tx, [openTurnTable])) }),
    },
  },
  {
    name: 'A turn that takes one event too few',
    near: 1,
    mutation: {
      turn: ({ begin }) => ({
        begin: withInput(begin, (input) => ({ ...input, taken: Math.max(1, input.taken - 1) })),
      }),
    },
  },
  {
    name: 'A turn that takes one event too many',
    near: 1,
    mutation: {
      turn: ({ begin }) => ({
        begin: withInput(begin, (input, tx) => {
          const { nextEvent = 0 } = tx.get(conversationTable, [input.asid]) ?? {}
          return { ...input, taken: Math.min(input.taken + 1, nextEvent - input.first) }
        }),
      }),
    },
  },
  {
    name: 'A cut that leaves the flow where it was',
    near: 7,
    mutation: {
      onTurnCut: (listener) => (tx, asid, cut, at) => listener(withoutWrites(tx, [playTable]), asid, cut, at),
    },
  },
  {
    name: 'A conversation that does not know of its open turn',
    near: 2,
    mutation: {
      conversation: ({ receiveInbound }) => ({ receiveInbound: hidingTurn(receiveInbound as never) as never }),
      turn: ({ begin }) => ({ begin: withTx(begin, (tx) => reading(tx, withoutTurn)) }),
      context: (context) => ({ ...context, reader: reading(context.reader, withoutTurn) }),
    },
  },
  {
    name: 'A tool inside that is called without the id of its call',
    near: 22,
    mutation: {
      shards: (shards) =>
        replacing(shards, {
          execute: (owner, command, input, options) =>
            shards.execute(owner, command, input, owner === agentKey ? {} : options),
        }),
    },
  },
  {
    name: 'An outcome that is committed apart from the end of its effect',
    near: 41,
    mutation: {
      shards: (shards) =>
        replacing(shards, {
          execute: (owner, command, input, options = {}) => {
            const { completes: _apart, ...rest } = options
            return shards.execute(owner, command, input, rest)
          },
        }),
    },
  },
  {
    name: 'A record that misses the messages of its last step',
    near: 3,
    mutation: {
      turn: ({ advance }) => ({
        advance: withInput(advance, (input, tx) => {
          const open = tx.get(openTurnTable, [input.asid])
          if (open) tx.put(openTurnTable, [input.asid], { ...open, record: { ...open.record, messages: [] } })
          return input
        }),
      }),
    },
  },
  {
    name: 'A repeated call to a tool outside that is taken for the first',
    near: 9,
    mutation: {
      port: (port) => ({
        ...port,
        call: (tool, call, attempt) => port.call(tool, call, { ...attempt, isRepeat: false }),
      }),
    },
  },
]
