/** Downloads of files that the page creates. */

/** Time for a browser to fetch the file before its URL is revoked. */
const revokeAfterMs = 60_000

export function saveFile(name: string, extension: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }))
  const anchor = document.createElement('a')
  anchor.href = url
  anchor.download = `${name.replace(/[^\p{L}\p{N}]+/gu, '-').slice(0, 60) || extension}.${extension}`
  anchor.click()
  setTimeout(() => URL.revokeObjectURL(url), revokeAfterMs)
}
