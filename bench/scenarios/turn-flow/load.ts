/** The HTTP load of texts, and then whether each of them was answered. */
import { httpLoad } from '../../harness/load/http.js'
import type { Load } from '../../harness/scenario.js'

export const untilAnswered: Load = async (target, window) => {
  const answered = await httpLoad(target, window)
  const { failures } = await target.work(window)
  return { ...answered, failures: { ...answered.failures, ...failures } }
}
