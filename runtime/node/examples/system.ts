/** Recorded requests and responses of the installation and its backups, for the OpenAPI document. */
import type { RouteExamples } from '../../http/examples.js'

export const system: RouteExamples = {
  'GET /system/shards': {
    status: 200,
    reply: {
      data: [
        {
          shard: 0,
          owner: 'embedded',
          epoch: 1,
          last: 56,
          copies: {
            embedded: 56,
          },
        },
        {
          shard: 1,
          owner: 'embedded',
          epoch: 1,
          last: 21,
          copies: {
            embedded: 21,
          },
        },
      ],
      nodes: [
        {
          id: 'embedded',
          host: 'harbor-1',
          address: 'harbor-1:8081',
          roles: ['gateway', 'mgmt', 'shards'],
          keepsShards: true,
          leaving: false,
        },
      ],
    },
  },
  'PUT /system/shards/{shard}/node': {
    params: {
      shard: '1',
    },
    body: {
      node: null,
    },
    status: 200,
    reply: {
      shard: 1,
      owner: 'embedded',
      epoch: 1,
      last: 21,
      copies: {
        embedded: 21,
      },
    },
  },
  'GET /system/status': {
    status: 200,
    reply: {
      version: '0.1.0',
      now: '2026-03-01T12:03:17.500Z',
      upSeconds: 8,
      ready: {
        status: 'ok',
        checks: [
          {
            name: 'store',
            status: 'ok',
          },
          {
            name: 'bus',
            status: 'ok',
          },
          {
            name: 'shards',
            status: 'ok',
          },
          {
            name: 'durability',
            status: 'ok',
          },
          {
            name: 'limits',
            status: 'ok',
          },
        ],
      },
      nodes: [
        {
          id: 'embedded',
          host: 'harbor-1',
          address: 'harbor-1:8081',
          roles: ['gateway', 'mgmt', 'shards'],
          keepsShards: true,
          leaving: false,
        },
      ],
      shards: {
        total: 2,
        owned: 2,
        copied: 0,
        behindEntries: 0,
      },
      waiting: {
        commands: 0,
      },
    },
  },
  'POST /system/backups': {
    body: {
      withKey: false,
    },
    status: 202,
    reply: {
      name: '20260301-120318-7091c808',
      state: 'making',
    },
  },
  'GET /system/backups/{backup}': {
    params: {
      backup: '20260301-120318-7091c808',
    },
    status: 200,
    reply: {
      name: '20260301-120318-7091c808',
      state: 'ready',
      manifest: {
        format: 1,
        name: '20260301-120318-7091c808',
        at: '2026-03-01T12:03:18.000Z',
        version: '0.1.0',
        installation: '0abeac7e06f8655b0579a12f95c3d86b',
        node: 'nncgdhpn6',
        cluster: false,
        shards: 2,
        held: [
          {
            shard: 0,
            last: 56,
          },
          {
            shard: 1,
            last: 21,
          },
        ],
        key: false,
        mediaMissing: 0,
        files: [
          {
            path: 'store.mdb',
            bytes: 118784,
            sha256: 'fcf47c0d032b5e9a1433d7343d861f922bc7a0e02336126d6b024d7ecba5ced5',
          },
        ],
      },
    },
  },
  'GET /system/backups': {
    status: 200,
    reply: {
      data: [
        {
          name: '20260301-120318-7091c808',
          state: 'ready',
          manifest: {
            format: 1,
            name: '20260301-120318-7091c808',
            at: '2026-03-01T12:03:18.000Z',
            version: '0.1.0',
            installation: '0abeac7e06f8655b0579a12f95c3d86b',
            node: 'nncgdhpn6',
            cluster: false,
            shards: 2,
            held: [
              {
                shard: 0,
                last: 56,
              },
              {
                shard: 1,
                last: 21,
              },
            ],
            key: false,
            mediaMissing: 0,
            files: [
              {
                path: 'store.mdb',
                bytes: 118784,
                sha256: 'fcf47c0d032b5e9a1433d7343d861f922bc7a0e02336126d6b024d7ecba5ced5',
              },
            ],
          },
        },
      ],
    },
  },
  'GET /system/backups/{backup}/files/{number}': {
    params: {
      backup: '20260301-120318-7091c808',
      number: '0',
    },
    status: 200,
  },
  'DELETE /system/backups/{backup}': {
    params: {
      backup: '20260301-120318-7091c808',
    },
    status: 204,
  },
}
