/** Recorded examples of routes, for the OpenAPI document. */
import type { Route, RouteExample } from './route.js'

/** By method and path, as routes have them. */
export type RouteExamples = Readonly<Record<string, RouteExample>>

/** An example that a route makes itself comes first. */
export function withExamples(routes: readonly Route[], examples: RouteExamples): Route[] {
  return routes.map((route) => {
    const example = examples[`${route.method} ${route.path}`]
    return example ? { ...route, example: () => route.example?.() ?? example } : route
  })
}
