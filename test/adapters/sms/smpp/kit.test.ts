/** SMPP keeps the contract of adapters. */
import t from 'tap'
import { checkAdapter } from '../../../../adapters/kit/suite/check.js'
import type { Samples } from '../../../../adapters/kit/suite/samples.js'
import { smppAdapter } from '../../../../adapters/sms/smpp/adapter.js'
import type { SmppAuth } from '../../../../adapters/sms/smpp/auth.js'

t.setTimeout(120_000)

const auth: SmppAuth = {
  host: 'smsc.example',
  port: 2775,
  systemId: 'parley',
  password: 'a password of the account',
  from: '+15550100',
  tls: true,
}

const samples: Samples<SmppAuth> = {
  auth,
  otherAuths: [{ ...auth, from: 'Roma Pizza', windowSize: 100, ratePerSecond: 50, systemType: 'VMA' }],
  invalidAuths: [
    { auth: { ...auth, host: 'smpp://smsc.example:2775' }, field: 'host' },
    { auth: { ...auth, systemId: 'ünique' }, field: 'systemId' },
    { auth: { ...auth, password: 'geheim €€€' }, field: 'password' },
    { auth: { ...auth, from: 'A name that no phone shows' }, field: 'from' },
  ],
  address: '+15550001',
  sign: () => ({}),
  // Nobody calls in, and nobody is called.
  calls: [],
  answers: [],
}

t.test('The adapter kit has no findings', async (t) => {
  const findings = await checkAdapter(smppAdapter, samples)
  t.ok(findings.length > 5, `${findings.length} checks ran`)
  for (const { name, problems } of findings) t.same(problems, [], name)
})
