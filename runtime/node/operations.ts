/** Health, readiness and metrics of each listener, without authentication. */
import Type from 'typebox'
import { type Answer, json, type Plane, type Route, route } from '../http/route.js'
import type { Health, ReadyReply } from '../observe/health.js'
import type { Metrics } from '../observe/metrics.js'

const Up = Type.Object({ status: Type.Literal('ok') }, { additionalProperties: false, title: 'Up' })
const CheckResult = Type.Object(
  {
    name: Type.String(),
    status: Type.Enum(['ok', 'degraded', 'failed']),
    detail: Type.Optional(Type.String()),
  },
  { additionalProperties: false },
)
export const Ready = Type.Object(
  { status: Type.Enum(['ok', 'degraded', 'unavailable', 'draining']), checks: Type.Array(CheckResult) },
  { additionalProperties: false, title: 'Ready' },
)

export function answerUp(): Answer<{ status: 'ok' }> {
  return json(200, { status: 'ok' })
}

export function answerReady(health: Pick<Health, 'ready'>): Answer<ReadyReply> {
  const reply = health.ready()
  return json(reply.status === 'ok' || reply.status === 'degraded' ? 200 : 503, reply)
}

export function operationRoutes(plane: Plane, health: Health, metrics: Pick<Metrics, 'render'>): Route[] {
  const common = { plane, method: 'GET', tag: 'Operations', access: { who: 'public' } } as const
  return [
    ...['/healthz', '/livez'].map((path) =>
      route({ ...common, path, summary: 'Whether the process is up', reply: { 200: Up }, handler: answerUp }),
    ),
    route({
      ...common,
      path: '/readyz',
      summary: 'Whether the node should be sent work, check by check',
      reply: { 200: Ready, 503: Ready },
      handler: () => answerReady(health),
    }),
    route({
      ...common,
      path: '/metrics',
      summary: 'Prometheus text',
      reply: { 200: 'text/plain' },
      handler() {
        const { type, text } = metrics.render()
        return { status: 200, body: text, type }
      },
    }),
  ]
}
