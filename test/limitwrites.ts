/** Writes to limits: places where a source changes an object that it imports from a limits file. */

/** Each write as its text up to the operator, in code without comments. */
export function limitWritesIn(code: string): string[] {
  return importedLimits(code).flatMap((name) => {
    const target = `\\(*${name}(?: as [^)\\n]*\\)*)*`
    const member = `(?:\\)*!?(?:\\.\\w+|\\[[^\\]\\n]*\\]))+`
    const writes = [
      `\\b(?:Object\\.(?:assign|define\\w+|setPrototypeOf)|Reflect\\.(?:set\\w*|define\\w+|delete\\w+))\\(\\s*${target}\\b`,
      `(?<![\\w$.]|\\.\\.)${target}${member}\\s*(?:(?:[-+*/%&|^]|\\*\\*|<<|>>>?|&&|\\|\\||\\?\\?)?=(?![=>])|\\+\\+|--)`,
      `(?:\\+\\+|--|\\bdelete )\\s*${target}${member}`,
    ]
    return writes.flatMap((write) => code.match(new RegExp(write, 'g')) ?? [])
  })
}

function importedLimits(code: string): string[] {
  const names = [...code.matchAll(/^import \{([^}]*)\} from '[^'\n]*\/limits(?:\/\w+)?\.js'$/gm)]
    .flatMap(([, list = '']) => list.split(','))
    .map((name) => name.trim())
    .filter((name) => name !== '' && !name.startsWith('type '))
    .map((name) => name.replace(/^\w+ as /, ''))
  const spaces = code.matchAll(/^import \* as (\w+) from '[^'\n]*\/limits(?:\/\w+)?\.js'$/gm)
  return [...names, ...Array.from(spaces, ([, name = '']) => name)]
}
