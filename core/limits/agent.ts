/** Limits of an agent's document, by section. */

/** Where the contract gives no number, Parley sets one, so that every field and list is bounded. */
export const agentLimits = Object.freeze({
  /** Ids of catalog entries. */
  qualifiedIdChars: 200,
  urlChars: 2_048,
  emailChars: 254,
  phoneChars: 40,
  personality: { descriptionChars: 500, textChars: 10_000 },
  goals: { max: 20, nameChars: 80, descriptionChars: 300, criterionChars: 500, conditionValueChars: 200 },
  objectives: { max: 50, nameChars: 200, descriptionChars: 2_000, bodyChars: 10_000 },
  playbooks: {
    max: 500,
    nameChars: 200,
    descriptionChars: 2_000,
    whenToUseChars: 2_000,
    bodyChars: 50_000,
    examples: 50,
    exampleLines: 40,
    exampleChars: 4_000,
    toolRefs: 50,
    messageTemplateRefs: 100,
    uses: 200,
  },
  flow: {
    nameChars: 200,
    descriptionChars: 2_000,
    slots: 50,
    steps: 200,
    slotNameChars: 64,
    options: 50,
    optionChars: 200,
    promptChars: 1_000,
    validateChars: 200,
    sayChars: 4_000,
    suggestionsMin: 1,
    suggestionsMax: 4,
    suggestionChars: 200,
    /** Some channel cuts longer suggestions. */
    suggestionShownChars: 25,
    branches: 20,
    conditionChars: 500,
    outcomeChars: 200,
    modelChars: 200,
  },
  standingInstructions: { max: 20, chars: 300 },
  guardrails: { max: 200, chars: 1_000, templates: 50 },
  rules: {
    max: 100,
    textChars: 500,
    patterns: 20,
    patternChars: 200,
    replacementChars: 1_000,
    /** Automaton states of all patterns of all enabled rules together. */
    states: 10_000,
  },
  messageTemplates: { max: 500, nameChars: 200, descriptionChars: 2_000, bodyChars: 4_000 },
  things: {
    max: 5_000,
    idChars: 200,
    nameChars: 200,
    descriptionChars: 4_000,
    imageUrlChars: 500,
    mediaChars: 80,
    productPageUrlChars: 500,
    actions: 4,
    actionLabelChars: 25,
    actionValueChars: 200,
    actionUrlChars: 2_048,
    collections: 20,
    metadataKeys: 100,
    metadataValueChars: 2_000,
    addressChars: 500,
    locationLabelChars: 200,
    latitude: 90,
    longitude: 180,
  },
  collections: { max: 500, idChars: 200, nameChars: 200, purposeChars: 500, actions: 4, actionChars: 25 },
  facts: {
    max: 5_000,
    idChars: 200,
    questionChars: 300,
    alternates: 10,
    alternateChars: 200,
    answerChars: 1_000,
    scopePlaybooks: 100,
  },
  sources: { max: 500, nameChars: 200 },
  media: { max: 1_000, idChars: 80, nameChars: 200, bytes: 10 * 1024 ** 2 },
  scheduling: {
    windows: 100,
    blackoutDates: 1_000,
    durationMinMinutes: 1,
    durationMaxMinutes: 1_440,
    leadMinMinutes: 1,
    leadMaxMinutes: 10_080,
    recipients: 50,
    representatives: 500,
    nameChars: 200,
    titleChars: 200,
    typeChars: 60,
  },
  notifications: { addressChars: 254, nameChars: 200, domainChars: 253, secretChars: 4_096 },
  integrations: {
    max: 100,
    idChars: 64,
    nameChars: 200,
    descriptionChars: 2_000,
    parametersBytes: 32 * 1024,
    authChars: 4_096,
  },
  toolBindings: { max: 100, configBytes: 64 * 1024 },
  outreach: {
    max: 500,
    nameChars: 200,
    descriptionChars: 2_000,
    inputs: 100,
    /** A custom field of the longest key, written as a slot, fits. */
    inputChars: 200,
    afterMinHours: 1,
    afterMaxHours: 720,
  },
  people: { fields: 200, keyChars: 128, labelChars: 200, segments: 500 },
  /**
   * Automaton states of one operator pattern with its counted repeats expanded; each character of a text costs at most
   * as many steps.
   */
  patternStates: 1_000,
  patternSearch: {
    /** Steps after which a search pauses and can continue. */
    stepsPerAsk: 2_000,
    /** State sets that one search caches. */
    cachedStateSets: 1_000,
    /** Of a phrase; an expression takes at least one step per character. */
    phraseCharsPerStep: 32,
  },
  /** Faults that one check lists. */
  faults: 50,
} as const)

/** Limits of the document store: documents in memory, changes on record, body sizes, and what secrets show. */
export const agentDocument = Object.freeze({
  cachedAgents: 100,
  /** Rendered views per agent that the cache keeps. */
  cachedViews: 64,
  retainedAuditEntries: 1_000,
  /** A shorter secret shows none of its characters. */
  last4FromChars: 12,
  /** Bodies that hold one item or one small section. */
  bodyBytes: 1024 ** 2,
  /** A longer body is parsed in a worker thread. */
  inlineBytes: 128 * 1024,
  /** Bodies that hold a whole list, or the whole agent. */
  wholeBytes: 17 * 1024 ** 2,
  /** The size of an agent's document as JSON; an export is hardly longer, and an import of it is accepted. */
  documentBytes: 16 * 1024 ** 2,
  /** The same as YAML. A longer export is written as JSON, which is YAML too. */
  yamlBytes: 34 * 1024 ** 2,
  /**
   * An import may nest three levels deeper than other bodies, since it embeds bodies of single items that much deeper.
   */
  importDepth: 35,
} as const)
