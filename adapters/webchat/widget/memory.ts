/** What a page remembers of its chat: in the browser's storage where that is allowed, otherwise while it is open. */

export interface Memory {
  read(name: string): string | undefined
  write(name: string, value: string | undefined): void
  names(): string[]
}

/** `storage` throws where a browser blocks it, then or at any later call; nothing of that reaches the chat. */
export function openMemory(prefix: string, storage: () => Storage): Memory {
  const held = new Map<string, string>()
  const kept = <T>(use: (storage: Storage) => T): T | undefined => {
    try {
      return use(storage())
    } catch {
      return undefined
    }
  }
  for (const name of kept((store) => Object.keys(store)) ?? []) {
    const value = name.startsWith(prefix) ? kept((store) => store.getItem(name)) : undefined
    if (value) held.set(name.slice(prefix.length), value)
  }
  return {
    /** What another tab has written since counts, too. */
    read: (name) => kept((store) => store.getItem(prefix + name)) ?? held.get(name),
    write(name, value) {
      if (value === undefined) {
        held.delete(name)
        kept((store) => store.removeItem(prefix + name))
      } else {
        held.set(name, value)
        kept((store) => store.setItem(prefix + name, value))
      }
    },
    names: () => [...held.keys()],
  }
}
