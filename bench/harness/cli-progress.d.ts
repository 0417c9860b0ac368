/** The part of cli-progress that the bench uses; the package brings no types. */
declare module 'cli-progress' {
  export class SingleBar {
    constructor(options: Record<string, unknown>)
    start(total: number, value: number, payload: Record<string, unknown>): void
    update(value: number, payload: Record<string, unknown>): void
    stop(): void
  }
}
