/** Tables of what a conversation with a managed agent remembers: its play, and its open turn. */
import type { OpenTurn } from '../../core/turn/openturn.js'
import type { Play } from '../../core/turn/play.js'
import { byOwner, cacheWrites, table } from '../store/contract.js'

export const playTable = cacheWrites(byOwner(table<[asid: string], Play>('turn.play')))
export const openTurnTable = byOwner(table<[asid: string], OpenTurn>('turn.open'))

/** The command that the timers of turns run. */
export const timerCommand = 'turn.timerFired'

/** Timers of a conversation that turns set. */
export const turnTimers = { deadline: 'turn.deadline', quiet: 'turn.quiet' } as const
