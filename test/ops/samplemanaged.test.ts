/** The sample agent without a webhook: its document can be imported as it is, and nothing in it is doubtful. */
import { readFile } from 'node:fs/promises'
import t from 'tap'
import {
  type AgentDocument,
  emptyDocument,
  exportDocument,
  importDocument,
  lint,
  renderTemplate,
} from '../../core/agent/index.js'
import { compile } from '../../core/aml/index.js'
import { isRefusal } from '../../core/errors.js'
import { agentDocument as limits } from '../../core/limits/index.js'
import { parsePhone } from '../../mgmt/agents/phone.js'
import { readYaml } from '../../runtime/worker/yaml.js'

const file = await readFile(new URL('../../../ops/sample-managed/agent.yaml', import.meta.url))
const read = readYaml(file, { depth: limits.importDepth })
const input = 'value' in read ? read.value : t.bailout(JSON.stringify(read.problem))
const imported = importDocument(emptyDocument, input, { phone: parsePhone })
t.notOk(isRefusal(imported), JSON.stringify(imported))
const document = imported as AgentDocument

/** Texts that people get: of steps, questions, templates and facts. */
const texts = [
  ...document.playbooks.flatMap(({ flow }) => [
    ...(flow?.steps ?? []).flatMap(({ say, confirm }) => [
      typeof say === 'object' ? say.text : (say ?? []),
      confirm ?? [],
    ]),
    ...(flow?.slots ?? []).map(({ prompt }) => prompt ?? []),
  ]),
  ...document.messageTemplates.map(({ body }) => body),
  ...document.facts.map(({ answer }) => answer),
].flat()

t.test('The sample lints without a finding', async (t) => {
  t.same(lint(document), { errors: [], warnings: [], advice: [] })
})

t.test('An export of the sample can be imported, and is the same', async (t) => {
  const again = importDocument(emptyDocument, exportDocument(document), { phone: parsePhone })
  t.same(again, document)
})

t.test('Every text of the sample is valid AML', async (t) => {
  t.ok(texts.length > 30)
  for (const text of texts) {
    const { problems, warnings } = compile(text, { now: 0, zone: 'UTC', managed: true })
    t.same([...problems, ...warnings], [], text)
  }
})

t.test('The greeting is a sentence for people with and without a name', async (t) => {
  const greeting = document.messageTemplates.find(({ id }) => id === 'greeting')!
  const greetingTo = (name?: string) =>
    renderTemplate(greeting, (path) => (path === 'person.firstName' ? name : undefined))
  t.equal(greetingTo().renderedText, 'Hello there, this is the desk of Harbor Clinic.')
  t.equal(greetingTo('Ada').renderedText, 'Hello Ada, this is the desk of Harbor Clinic.')
  const starting = document.playbooks.filter(({ isDefault }) => isDefault)
  t.match(starting, [{ messageTemplateRefs: ['greeting', 'directions'] }])
})
