/** A call of a node's API in the preparation of a scenario; a refusal fails the run. */

// biome-ignore lint/suspicious/noExplicitAny: a bench reads what it knows to be there
export async function call(method: string, url: string, token: string, body?: unknown): Promise<any> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const answer = await fetch(url, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${method} ${url} answered ${answer.status}: ${text}`)
  return text === '' ? undefined : JSON.parse(text)
}
