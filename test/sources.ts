/**
 * Places in built files, told as places in their sources. Node can do it by itself, but reads every map of every file
 * that
 * it loads, which is a tenth of what many a test file costs; here the maps of what failed are read, and no others.
 */
import { readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { dirname, join, relative } from 'node:path'

/** How a place is spelt: by a URL, by a whole path or by one from the root, with a line and mostly a column. */
const builtPosition = /(?:file:\/\/)?(?:\/[^\s:()'"]*\/)?\bdist\/[^\s:()'"]+\.js:\d+(?::\d+)?/g
const lineOfTap = /^.*\bnode_modules\/@tapjs\/.*:\d+:\d+\)?\n?/gm
const contextLines = 2

export interface SourcePosition {
  /** From the root. */
  readonly file: string
  readonly line: number
  readonly column: number
}

export type InSources = ReturnType<typeof openSources>

export function openSources(root: string) {
  const maps = new Map<string, SourceMap | undefined>()

  function mapOf(file: string): SourceMap | undefined {
    if (!maps.has(file)) maps.set(file, readMap(join(root, `${file}.map`)))
    return maps.get(file)
  }

  /** Undefined for a place that no source is known of. */
  function sourceOf({ file, line, column }: SourcePosition): SourcePosition | undefined {
    const mapping = mapOf(file)?.findEntry(line - 1, column - 1)
    if (!mapping || !('originalSource' in mapping)) return undefined
    const source = relative(root, join(root, dirname(file), mapping.originalSource))
    return { file: source, line: mapping.originalLine + 1, column: mapping.originalColumn + 1 }
  }

  return {
    /**
     * The text with every place in it that has a source told as that. Lines of a stack that are tap's own are left out.
     */
    text(text: string): string {
      const mapped = text.replace(builtPosition, (spelt) => {
        const [path = '', line, column] = spelt.replace('file://', '').split(':')
        const file = path.startsWith('/') ? relative(root, path) : path
        const source = sourceOf({ file, line: Number(line), column: Number(column ?? 1) })
        return source ? `${source.file}:${source.line}:${source.column}` : spelt
      })
      return mapped === text ? text : mapped.replace(lineOfTap, '')
    },

    /** The lines around a place, with a mark under it; undefined when it has no source of ours. */
    excerpt(position: SourcePosition): string | undefined {
      const source = sourceOf(position)
      const lines = source && !isLibrary(source.file) ? linesOf(join(root, source.file)) : undefined
      if (!source || !lines) return undefined
      const first = Math.max(0, source.line - 1 - contextLines)
      const before = lines.slice(first, source.line)
      const after = lines.slice(source.line, source.line + contextLines)
      return [...before, `${'-'.repeat(source.column - 1)}^`, ...after].join('\n')
    },
  }
}

function isLibrary(file: string): boolean {
  return file.startsWith('node_modules/')
}

function readMap(file: string): SourceMap | undefined {
  try {
    return new SourceMap(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    return undefined
  }
}

function linesOf(file: string): string[] | undefined {
  try {
    return readFileSync(file, 'utf8').split('\n')
  } catch {
    return undefined
  }
}
