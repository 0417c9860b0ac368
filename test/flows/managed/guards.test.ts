/** What every reply passes: disclaimers, guardrails, rules, and the grounding of addresses. */
import t from 'tap'
import { clinic, openStage } from './stage.js'

t.setTimeout(300_000)

const say = (text: string) => ({ steps: [{ say: text }] })
const saying = (text: string, more: object = {}) => ({
  identity: clinic.identity,
  playbooks: [{ id: 'main', name: 'Main', isDefault: true, uses: [], body: '', flow: say(text) }],
  ...more,
})
const rule = (pattern: string, more: object) => ({
  ...{ id: 'r1', text: 'A rule.', check: { kind: 'pattern', patterns: [pattern] } },
  ...more,
})

t.test(
  'R34, decision 24: each disclaimer is said verbatim with the first reply of a session, and not again',
  async (t) => {
    const disclaimer = 'We are *not* doctors [really].'
    const stage = await openStage(t, {
      ...clinic,
      guardrails: { requiredDisclaimers: [disclaimer, 'Calls are recorded.'] },
    })
    const ann = stage.phone('sms', '+12075550170')
    const first = await ann.write('Do you have parking?')
    t.ok(first.text.includes(disclaimer), first.text)
    t.match(first.text, /Calls are recorded\./)
    t.notMatch((await ann.write('When are you open?')).text, /doctors|recorded/)
    stage.clock.advance(31 * 60_000)
    t.match((await ann.write('Do you have parking?')).text, /Calls are recorded\./)
  },
)

t.test('R34, decision 24: a topic to avoid in a reply is flagged, and the reply is sent', async (t) => {
  const stage = await openStage(t, saying('Our politics are simple.', { guardrails: { topicsToAvoid: ['Politics'] } }))
  const answer = await stage.phone('sms', '+12075550171').write('hello')
  t.match(answer.text, /Our politics are simple/)
  t.match(answer.turn.warnings, [{ code: 'rule.flagged' }])
})

t.test('R35, decision 25: a rule that flags lets the message through and names itself in the record', async (t) => {
  const stage = await openStage(t, clinic)
  const answer = await stage.phone('sms', '+12075550172').write('What does a visit cost?')
  t.match(answer.text, /First assessment is \$120/)
  t.match(answer.turn, { rules: [{ ruleId: 'prices', action: 'flag' }] })
  t.ok(answer.turn.warnings.some(({ code }: { code: string }) => code === 'rule.flagged'))
})

t.test(
  'R35, decision 25: a rule that blocks says its replacement, or how to reach the business, and nothing follows',
  async (t) => {
    for (const [more, expected] of [
      [{ replacement: 'Ask the desk.' }, /^Ask the desk\.$/],
      [{}, /I cannot answer that here\.[\s\S]*People are at the desk/],
    ] as const) {
      const stage = await openStage(
        t,
        saying('The secret is blue.', { rules: [rule('SECRET', { action: 'block', ...more })] }),
      )
      const answer = await stage.phone('sms', '+12075550173').write('hello')
      t.match(answer.text, expected)
      t.notMatch(answer.text, /blue/)
      t.match(answer.turn, { rules: [{ ruleId: 'r1', action: 'block' }], warnings: [{ code: 'rule.blocked' }] })
    }
  },
)

t.test('R35: a rule that is off does nothing, and an expression looks at chips too', async (t) => {
  const rules = [
    rule('blue', { enabled: false, action: 'block' }),
    { ...rule('/st[ou]p it/i', { action: 'block' }), id: 'r2' },
  ]
  const flow = { steps: [{ say: { text: 'The sea is blue.', suggestions: ['Stop it'] } }] }
  const document = saying('')
  const stage = await openStage(t, { ...document, playbooks: [{ ...document.playbooks[0], flow }], rules })
  const answer = await stage.phone('sms', '+12075550174').write('hello')
  t.match(answer.turn.rules, [{ ruleId: 'r2', action: 'block' }])
  t.notMatch(answer.text, /blue/)
})

t.test(
  'Grounding: an address that a person wrote is repeated, one of the document is said, another never',
  async (t) => {
    const slots = [{ name: 'note', type: 'string', required: true, prompt: 'Which page?' }]
    const steps = [{ collect: 'note' }, { say: 'You said {note}. Ours is https://harbor-clinic.example/visit.' }]
    const document = saying('')
    const stage = await openStage(t, { ...document, playbooks: [{ ...document.playbooks[0], flow: { slots, steps } }] })
    const ann = stage.phone('sms', '+12075550175')
    await ann.write('hello')
    const answer = await ann.write('https://my-own.example/page')
    t.match(answer.text, /my-own\.example\/page[\s\S]*harbor-clinic\.example\/visit/)
    t.notMatch(JSON.stringify(answer.turn.warnings), /ground/)
  },
)
