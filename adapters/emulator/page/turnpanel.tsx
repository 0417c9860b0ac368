/** The panel of a bubble that shows the turn of a managed agent: what came, what was decided, and how long it took. */
import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { TurnRecord } from '../../../core/turn/record.js'
import type { AgentApi } from './api.js'
import { fetchDetails, type MessageTarget } from './details.js'
import { Json } from './json.js'
import {
  isAlarming,
  isToolDone,
  millis,
  playbookWords,
  readTrace,
  reasonWords,
  score,
  stateWords,
  timeShares,
  toolWords,
  triggerWords,
  valueWords,
} from './turnwords.js'

interface TurnPanelProps {
  api: AgentApi
  target: MessageTarget
  pollMs: number
  close: () => void
}

export function TurnPanel({ api, target, pollMs, close }: TurnPanelProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const { turn, messageId, status } = useTurn(api, target, pollMs)
  useEffect(() => dialog.current?.showModal(), [])

  return (
    <dialog ref={dialog} class="turn" aria-labelledby="turn-title" onClose={close}>
      <header>
        <h2 id="turn-title">What the agent did</h2>
        <button type="button" onClick={() => dialog.current?.close()}>
          Close
        </button>
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard */}
      <div class="turn-parts" tabIndex={0}>
        <p role="status" class={status ? 'empty' : undefined}>
          {status}
        </p>
        {turn && <TurnView turn={turn} messageId={messageId} />}
      </div>
    </dialog>
  )
}

/** Fetches until the turn has ended: its record may come later than its message. */
function useTurn(api: AgentApi, target: MessageTarget, pollMs: number) {
  const [found, setFound] = useState<{ readonly turn?: TurnRecord; readonly messageId?: string }>({})
  const [status, setStatus] = useState<string | undefined>('Looking it up…')

  useEffect(() => {
    let timer = 0
    let isStopped = false
    async function run() {
      try {
        const { turn, messageId, message } = await fetchDetails(api, target)
        if (isStopped) return
        setFound({ ...(turn && { turn }), ...(typeof messageId === 'string' && { messageId }) })
        setStatus(turn ? undefined : message === undefined ? 'That is no message of the agent.' : noTurn)
        if (turn && turn.state !== 'open') return
      } catch (error) {
        if (isStopped) return
        setStatus((error as Error).message)
      }
      timer = setTimeout(run, pollMs)
    }
    void run()
    return () => {
      isStopped = true
      clearTimeout(timer)
    }
  }, [api, target, pollMs])

  return { ...found, status }
}

const noTurn = 'No turn is on record for this message. Messages from Write AML have none, and old ones are forgotten.'

function TurnView({ turn, messageId }: { turn: TurnRecord; messageId: string | undefined }) {
  const { trigger, playbook, flow, goal, toolCalls, modelCalls, found, rules, warnings, effects, outcomes } = turn
  const { steps, others } = readTrace(turn.trace)
  const slots = Object.entries(flow?.slots ?? {})
  const state = stateWords(turn)
  return (
    <>
      <p class="lead" dir="auto">
        {triggerWords(trigger)}
      </p>
      {state && <p class="notice">{state}</p>}
      <Part title="Playbook">
        <p>
          <strong>{playbookWords(playbook)}</strong>
        </p>
        <p class="why">{reasonWords(playbook)}</p>
        {outcomes.length > 0 && <p>Outcome: {outcomes.join(', ')}</p>}
        {goal && (
          <p>
            Goal: {goal.id} <small>({goal.reached ? 'reached' : 'not reached yet'})</small>
          </p>
        )}
      </Part>
      {(steps.length > 0 || others.length > 0) && (
        <Part title="Steps">
          {steps.length > 0 && (
            <ol class="steps">
              {steps.map(({ playbook: id, step, kind }, at) => (
                <li key={at}>
                  {kind}{' '}
                  <small>
                    {id} {step}
                  </small>
                </li>
              ))}
            </ol>
          )}
          {others.map((line, at) => (
            <p key={at} class="why">
              {line}
            </p>
          ))}
        </Part>
      )}
      {slots.length > 0 && (
        <Part title="Answers so far">
          <dl>
            {slots.map(([name, value]) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd dir="auto">{valueWords(value)}</dd>
              </div>
            ))}
          </dl>
        </Part>
      )}
      {toolCalls.length > 0 && (
        <Part title="Tools">
          <ul>
            {toolCalls.map((call) => (
              <li key={call.key}>
                <strong>{call.name}</strong> <span class={isToolDone(call) ? 'fine' : 'warn'}>{toolWords(call)}</span>
                {call.reason !== undefined && <p class="why">{call.reason}</p>}
                <Raw label="Arguments and result" value={{ arguments: call.arguments, result: call.result }} />
              </li>
            ))}
          </ul>
        </Part>
      )}
      {modelCalls.length > 0 && (
        <Part title="Language model">
          <ul>
            {modelCalls.map(({ purpose, model, ms, inputTokens, outputTokens, error }, at) => (
              <li key={at}>
                <strong>{model}</strong> for {purpose}, {millis(ms)}, {inputTokens} tokens in, {outputTokens} out
                {error !== undefined && <p class="warn">{error}</p>}
              </li>
            ))}
          </ul>
        </Part>
      )}
      {found.length > 0 && (
        <Part title="Knowledge that it found">
          <ul>
            {found.map(({ kind, id, score: value }) => (
              <li key={`${kind} ${id}`}>
                <strong>{id}</strong>{' '}
                <small>
                  {kind}, score {score(value)}
                </small>
              </li>
            ))}
          </ul>
        </Part>
      )}
      {rules.length > 0 && (
        <Part title="Rules">
          <ul>
            {rules.map(({ ruleId, action }) => (
              <li key={ruleId}>
                <strong>{ruleId}</strong>{' '}
                {action === 'block' ? 'kept the message back' : 'flagged the message, which was sent'}
              </li>
            ))}
          </ul>
        </Part>
      )}
      {warnings.length > 0 && (
        <Part title="Warnings">
          <ul>
            {warnings.map((warning, at) => (
              <li key={at} class={isAlarming(warning) ? 'warn' : undefined}>
                {warning.message} <small>{warning.code}</small>
              </li>
            ))}
          </ul>
        </Part>
      )}
      {effects.length > 0 && (
        <Part title="Captured, not sent">
          <ul>
            {effects.map(({ kind, summary }, at) => (
              <li key={at}>
                <strong>{kind}</strong> {summary}
              </li>
            ))}
          </ul>
        </Part>
      )}
      <Messages ids={turn.messages} current={messageId} />
      <Times took={turn.took} />
      <Raw label="The whole record" value={turn} />
    </>
  )
}

function Part({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <section>
      <h3>{title}</h3>
      {children}
    </section>
  )
}

function Messages({ ids, current }: { ids: readonly string[]; current: string | undefined }) {
  const at = current === undefined ? -1 : ids.indexOf(current)
  const count = ids.length === 1 ? 'One message' : `${ids.length} messages`
  return (
    <Part title="Messages">
      <p>
        {count}
        {at >= 0 && ids.length > 1 && `; this is number ${at + 1}`}.
      </p>
    </Part>
  )
}

function Times({ took }: { took: TurnRecord['took'] }) {
  const shares = timeShares(took)
  return (
    <Part title={`Time: ${millis(took.total)}`}>
      {shares.length > 0 && (
        <div class="bar" aria-hidden="true">
          {shares.map(({ name, ms }) => (
            <span key={name} class={name} style={{ flexGrow: ms }} />
          ))}
        </div>
      )}
      <ul class="legend">
        {shares.map(({ name, label, ms }) => (
          <li key={name} class={name}>
            {label} <small>{millis(ms)}</small>
          </li>
        ))}
      </ul>
    </Part>
  )
}

function Raw({ label, value }: { label: string; value: unknown }) {
  return (
    <details class="whole">
      <summary class="whole-title">{label}</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard */}
      <pre tabIndex={0}>
        <Json value={value} />
      </pre>
    </details>
  )
}
