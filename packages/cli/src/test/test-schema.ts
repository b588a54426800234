import { FinishReason, JsonObject } from '@svc/contract'
import { z } from 'zod'

const ExpectedText = z
  .strictObject({ contains: z.string().optional(), matches: z.string().optional(), equals: z.string().optional() })
  .superRefine(({ matches, ...others }, context) => {
    if (matches === undefined && Object.keys(others).length === 0) {
      context.addIssue({ code: 'custom', message: 'must have contains, matches or equals.' })
    }
    if (matches === undefined || isPattern(matches)) return
    context.addIssue({ code: 'custom', path: ['matches'], message: 'must be a regular expression.' })
  })
export type ExpectedText = z.infer<typeof ExpectedText>

const Mock = z
  .strictObject({ input: JsonObject.optional(), output: z.unknown().optional(), error: z.string().min(1).optional() })
  .superRefine((mock, context) => {
    if ('output' in mock !== 'error' in mock) return
    context.addIssue({ code: 'custom', message: 'must have output or error, one of them.' })
  })
export type Mock = z.infer<typeof Mock>

const ScriptedCall = z.strictObject({ call: z.string(), input: JsonObject.default({}) })
const Step = z
  .strictObject({
    say: z.string().optional(),
    call: z.string().optional(),
    input: JsonObject.optional(),
    calls: z.array(ScriptedCall).min(1).optional(),
  })
  .superRefine(({ say, call, input, calls }, context) => {
    const fault = (message: string) => context.addIssue({ code: 'custom', message })
    if (say === undefined && call === undefined && calls === undefined) fault('must have say, call or calls.')
    if (call !== undefined && calls !== undefined) fault('must have call or calls, not both.')
    if (call === undefined && input !== undefined) fault('has an input and no call: write both.')
  })
  .transform(({ say, call, input = {}, calls = [] }) => ({
    say: say ?? null,
    calls: call === undefined ? calls : [{ call, input }],
  }))
export type Step = z.infer<typeof Step>

const ExpectedCall = z
  .strictObject({
    capability: z.string(),
    input: JsonObject.optional(),
    times: z.int().nonnegative().optional(),
    output: z.unknown().optional(),
    error: ExpectedText.optional(),
  })
  .refine((call) => !('output' in call && call.error), 'must have output or error, not both.')
export type ExpectedCall = z.infer<typeof ExpectedCall>

const Expectation = z
  .strictObject({
    calls: z.array(ExpectedCall).optional(),
    inOrder: z.boolean().optional(),
    answer: ExpectedText.optional(),
    finishReason: FinishReason.exclude(['cancelled']).optional(),
    error: ExpectedText.optional(),
  })
  .refine(
    ({ calls, answer, finishReason, error }) => calls ?? answer ?? finishReason ?? error,
    'expects nothing: add calls, answer, finishReason or error.',
  )
export type Expectation = z.infer<typeof Expectation>

const Turn = z.strictObject({
  user: z.string().min(1),
  model: z.array(Step).min(1).optional(),
  approve: z.boolean().default(false),
  expect: Expectation,
})
export type Turn = z.infer<typeof Turn>

/** A test as a file holds it; `ConversationTest` of the SDK is its type for TypeScript. */
export const TestSchema = z
  .strictObject({
    name: z.string().min(1).optional(),
    model: z.enum(['scripted', 'demo', 'service']).default('scripted'),
    mocks: z.record(z.string(), z.preprocess(asList, z.array(Mock).min(1))).default({}),
    turns: z.array(Turn).min(1),
  })
  .superRefine(({ model, mocks, turns }, context) => {
    const fault = (path: (string | number)[], message: string) => context.addIssue({ code: 'custom', path, message })
    for (const [index, turn] of turns.entries()) {
      const at = ['turns', index]
      if (model === 'scripted' && !turn.model)
        fault([...at, 'model'], 'is missing: a scripted model says what it is told.')
      if (model !== 'scripted' && turn.model)
        fault([...at, 'model'], `is for scripted tests: the model here is ${model}.`)
      if (model === 'service' && turn.approve)
        fault([...at, 'approve'], 'does nothing here: the service asks a person.')
    }
    if (model !== 'service' || Object.keys(mocks).length === 0) return
    fault(['mocks'], 'are not for the model service: the service calls the runtime’s endpoint.')
  })
export type TestContent = z.infer<typeof TestSchema>

function asList(value: unknown): unknown {
  return Array.isArray(value) ? value : [value]
}

function isPattern(source: string): boolean {
  try {
    return new RegExp(source, 'u') !== null
  } catch {
    return false
  }
}
