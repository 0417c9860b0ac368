/** Routes of the system operator: make backups, download their files, remove them from the node. */
import Type from 'typebox'
import { isRefusal, refuse } from '../../core/errors.js'
import { json, noContent, type Route, route } from '../http/route.js'
import type { Log } from '../observe/log.js'
import type { Backup, Backups } from './backups.js'
import { Manifest } from './manifest.js'

const closed = { additionalProperties: false } as const

const BackupView = Type.Object(
  {
    name: Type.String(),
    state: Type.Enum(['making', 'failed', 'ready']),
    why: Type.Optional(Type.String({ description: 'Why it failed.' })),
    manifest: Type.Optional(Manifest),
  },
  { ...closed, title: 'Backup' },
)
const BackupBody = Type.Object(
  {
    withKey: Type.Optional(
      Type.Boolean({
        description: 'Adds the root key of the data folder: the backup can then be opened without anything else.',
      }),
    ),
  },
  { ...closed, title: 'BackupAsk' },
)

/** The answer of these routes, for the command line. */
export type BackupRow = Backup

export function backupRoutes({ backups, log }: { readonly backups: Backups; readonly log: Log }): Route[] {
  const common = { plane: 'mgmt', tag: 'System', access: { who: 'sysop' } } as const
  const notFound = refuse('resource.not_found')
  return [
    route({
      ...common,
      method: 'POST',
      path: '/system/backups',
      summary: 'Begin a backup of this node’s data; the node serves on',
      body: BackupBody,
      bodyOptional: true,
      reply: { 202: BackupView },
      errors: ['system.backup_under_way', 'system.backup_impossible'],
      async handler({ body, caller, requestId }) {
        const withKey = (body as typeof body | undefined)?.withKey === true
        const started = await backups.begin(withKey)
        if (isRefusal(started)) return started
        log.info('system.backup.started', { backup: started.name, withKey, by: caller.id, requestId })
        return json(202, started)
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: '/system/backups',
      summary: 'List the backups on this node, oldest first',
      reply: { 200: Type.Object({ data: Type.Array(BackupView) }, closed) },
      handler: async () => json(200, { data: await backups.list() }),
    }),
    route({
      ...common,
      method: 'GET',
      path: '/system/backups/{backup}',
      summary: 'Read what has become of a backup',
      reply: { 200: BackupView },
      errors: ['resource.not_found'],
      async handler({ params: { backup } }) {
        const result = await backups.find(backup)
        return result ? json(200, result) : notFound
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: '/system/backups/{backup}/files/{number}',
      summary: 'Read a file of a backup, by its place in the manifest, from 0',
      reply: { 200: 'application/octet-stream' },
      errors: ['resource.not_found'],
      async handler({ params: { backup, number } }) {
        const result = /^\d{1,9}$/.test(number) ? await backups.read(backup, Number(number)) : undefined
        if (!result) return notFound
        const { file, bytes } = result
        const headers = { 'cache-control': 'no-store' }
        return { status: 200, type: 'application/octet-stream', body: bytes, bodyBytes: file.bytes, headers }
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      path: '/system/backups/{backup}',
      summary: 'Remove a backup from this node’s disk',
      reply: { 204: null },
      errors: ['resource.not_found', 'system.backup_under_way'],
      async handler({ params: { backup }, caller, requestId }) {
        const removed = await backups.remove(backup)
        if (isRefusal(removed)) return removed
        if (!removed) return notFound
        log.info('system.backup.removed', { backup, by: caller.id, requestId })
        return noContent
      },
    }),
  ]
}
