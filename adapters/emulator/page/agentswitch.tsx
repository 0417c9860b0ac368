/** The switch between the agents of the page: tabs, with the keys that tabs have. */
import { useRef } from 'preact/hooks'
import type { EmulatorScene } from './api.js'

const titles: Readonly<Record<EmulatorScene['mode'], string>> = { managed: 'Managed agent', webhook: 'Webhook agent' }

export const tabId = (agentId: string) => `tab-${agentId}`
export const panelId = (agentId: string) => `agent-${agentId}`

interface AgentSwitchProps {
  agents: readonly EmulatorScene[]
  chosen: string
  choose: (agentId: string) => void
}

export function AgentSwitch({ agents, chosen, choose }: AgentSwitchProps) {
  const list = useRef<HTMLDivElement>(null)

  function onKeyDown(event: KeyboardEvent) {
    const at = agents.findIndex(({ agentId }) => agentId === chosen)
    const next = nextAt(event.key, at, agents.length)
    const agent = next === undefined ? undefined : agents[next]
    if (!agent) return
    event.preventDefault()
    choose(agent.agentId)
    list.current?.querySelector<HTMLElement>(`#${tabId(agent.agentId)}`)?.focus()
  }

  return (
    <div class="switch" role="tablist" aria-label="Agents" ref={list} onKeyDown={onKeyDown}>
      {agents.map(({ agentId, name, mode }) => (
        <button
          key={agentId}
          id={tabId(agentId)}
          type="button"
          role="tab"
          aria-selected={agentId === chosen}
          aria-controls={panelId(agentId)}
          tabIndex={agentId === chosen ? 0 : -1}
          onClick={() => choose(agentId)}
        >
          {titles[mode]} <small>{name}</small>
        </button>
      ))}
    </div>
  )
}

function nextAt(key: string, at: number, count: number): number | undefined {
  switch (key) {
    case 'ArrowRight':
      return (at + 1) % count
    case 'ArrowLeft':
      return (at - 1 + count) % count
    case 'Home':
      return 0
    case 'End':
      return count - 1
    default:
      return undefined
  }
}
