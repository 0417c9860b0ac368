/** A route compiled for the pipeline, once when the node starts: its checks, its serializers and its meter. */
import type { TSchema } from 'typebox'
import { http } from '../../core/limits/index.js'
import type { RouteMeter } from './metrics.js'
import type { Answer, ErrorStyle, Route } from './route.js'
import { compileSerialize, type Serialize } from './serializer.js'
import { bodyCheck, type Check, compileCheck } from './validator.js'

export interface CompiledRoute {
  readonly route: Route
  readonly style: ErrorStyle
  readonly meter: RouteMeter
  readonly readsBody: boolean
  readonly limitBytes: number
  readonly checkParams?: Check
  readonly checkQuery?: Check
  readonly checkBody?: Check
  /** The serializer of each status that answers JSON. */
  readonly serialize: ReadonlyMap<number, Serialize>
  /** Throws when an answer is not what the route declares. Set in tests only. */
  readonly checkAnswer?: (answer: Answer) => void
}

export function compileRoute(route: Route, style: ErrorStyle, meter: RouteMeter, checkReplies: boolean): CompiledRoute {
  return {
    route,
    style: route.style ?? style,
    meter,
    readsBody: route.body !== undefined || route.rawTypes !== undefined,
    limitBytes: route.bodyLimitBytes ?? http.bodyBytes,
    checkParams: route.params && compileCheck(route.params),
    checkQuery: route.query && compileCheck(route.query),
    checkBody: route.body && (route.bodyUnchecked ? unchecked : bodyCheck(route.body)),
    serialize: new Map(jsonReplies(route).map(([status, schema]) => [status, compileSerialize(schema)])),
    checkAnswer: checkReplies ? createAnswerCheck(route) : undefined,
  }
}

const unchecked: Check = () => undefined

function jsonReplies(route: Route): [status: number, schema: TSchema][] {
  return Object.entries(route.reply).flatMap(([status, schema]) =>
    schema === null || typeof schema === 'string' ? [] : [[Number(status), schema]],
  )
}

function createAnswerCheck(route: Route): (answer: Answer) => void {
  const checks = new Map(jsonReplies(route).map(([status, schema]) => [status, compileCheck(schema, 'reply')]))
  return ({ status, json, body }) => {
    const name = `${route.method} ${route.path}`
    if (!(status in route.reply)) throw new Error(`${name} answers ${status}, which it does not declare`)
    if (body !== undefined && route.replyTypes) return
    const errors = checks.get(status)?.(JSON.parse(JSON.stringify(json ?? null)))
    if (errors) throw new Error(`${name} answers what it does not declare: ${JSON.stringify(errors)}`)
  }
}
