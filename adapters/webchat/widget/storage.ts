/** Storage of a chat: the browser's where allowed, otherwise memory. */

export interface ChatStorage {
  read(name: string): string | undefined
  write(name: string, value: string | undefined): void
  names(): string[]
}

/** `storage` throws where a browser blocks it, at this or any later call; the exception never reaches the chat. */
export function createChatStorage(prefix: string, storage: () => Storage): ChatStorage {
  const values = new Map<string, string>()
  const tryStorage = <T>(use: (storage: Storage) => T): T | undefined => {
    try {
      return use(storage())
    } catch {
      return undefined
    }
  }
  for (const name of tryStorage((store) => Object.keys(store)) ?? []) {
    const value = name.startsWith(prefix) ? tryStorage((store) => store.getItem(name)) : undefined
    if (value) values.set(name.slice(prefix.length), value)
  }
  return {
    /** The browser's storage wins, since another tab may have written meanwhile. */
    read: (name) => tryStorage((store) => store.getItem(prefix + name)) ?? values.get(name),
    write(name, value) {
      if (value === undefined) {
        values.delete(name)
        tryStorage((store) => store.removeItem(prefix + name))
      } else {
        values.set(name, value)
        tryStorage((store) => store.setItem(prefix + name, value))
      }
    },
    names: () => [...values.keys()],
  }
}
