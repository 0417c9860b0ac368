/** Pictures and files in AML: an address, or the id of an image of a managed agent. */
import type { Position } from './contract.js'
import { addProblem, type Draft } from './draft.js'

/** Stands for an image id while the message is validated. */
const placeholderUrl = 'https://image.invalid/'
const imageId = /^image:\s*(\S.*)$/

/** Sets the address at `path`. False when it has a problem. */
export function putMedia(
  draft: Draft,
  target: { readonly holder: Record<string, unknown>; readonly path: string; readonly at: Position },
  source: string,
): boolean {
  const { holder, path, at } = target
  const id = imageId.exec(source)?.[1]
  holder.mediaUrl = id === undefined ? source : placeholderUrl
  if (id === undefined) return true
  if (!draft.options.managed) {
    addProblem(draft, at, 'managedOnly', `image:${id} is known to managed agents alone; write an https address`)
    return false
  }
  draft.references.push({ kind: 'image', ids: [id], path: `${path}.mediaUrl`, line: at.line, column: at.column })
  draft.afterValidation.push(() => {
    holder.mediaUrl = `image:${id}`
  })
  return true
}

const kindByExtension: Readonly<Record<string, string>> = {
  ...kindEntries('image', 'png jpg jpeg gif webp heic heif avif bmp svg tif tiff'),
  ...kindEntries('video', 'mp4 m4v mov webm avi mkv 3gp 3gpp mpeg mpg ogv'),
  ...kindEntries('audio', 'mp3 m4a aac ogg oga opus wav amr flac weba'),
}

function kindEntries(kind: string, extensions: string): Record<string, string> {
  return Object.fromEntries(extensions.split(' ').map((extension) => [extension, kind]))
}

/** By the extension of the file; an address without one counts as an image, since generated addresses mostly are. */
export function mediaKindOf(address: string): string {
  if (imageId.test(address)) return 'image'
  const path = address.replace(/[?#].*$/s, '').replace(/^\w+:\/\/[^/]*/, '')
  const extension = /\.([A-Za-z0-9]{1,5})$/.exec(path.slice(-6))?.[1]?.toLowerCase()
  return extension === undefined ? 'image' : (kindByExtension[extension] ?? 'file')
}
