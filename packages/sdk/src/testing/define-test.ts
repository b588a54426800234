import type { JsonObject } from '@svc/contract'

/**
 * What {@link defineTest} knows of the project. `svc generate` adds `capabilities` in `.svc/generated/test-types`; without
 * it every name and every input is accepted.
 */
export interface TestTypes {
  readonly kind: 'svc-test-types'
}

type Known = TestTypes extends { readonly capabilities: infer Capabilities } ? Capabilities : Record<string, AnyTypes>
type AnyTypes = { input: JsonObject; output: unknown }
type Name = keyof Known & string
type InputOf<Of extends Name> = Known[Of] extends { input: infer Input } ? Input : JsonObject
type OutputOf<Of extends Name> = Known[Of] extends { output: infer Output } ? Output : unknown

/** Part of a value: objects may leave fields out, lists and all else are whole. */
type Subset<Value> = Value extends readonly unknown[]
  ? Value
  : Value extends object
    ? { readonly [Key in keyof Value]?: Subset<Value[Key]> }
    : Value

/** What a text must hold; all that is given must be true. */
export interface ExpectedText {
  readonly contains?: string
  /** A regular expression. */
  readonly matches?: string
  readonly equals?: string
}

/** What takes the place of a capability: `output`, or a failure with the message `error`. */
export type CapabilityMock<Of extends Name = Name> = {
  /** Only for calls with this in their input; the first mock that fits is taken. */
  readonly input?: Subset<InputOf<Of>> | { readonly exact: InputOf<Of> }
} & ({ readonly output: OutputOf<Of> } | { readonly error: string })

type Called<Of extends Name> = { readonly call: Of; readonly input?: InputOf<Of> }
export type ScriptedCall = { [Of in Name]: Called<Of> }[Name]

/** One turn of the scripted model: words, a call, several calls at once, or words and calls. */
export type ScriptedStep =
  | { readonly say: string }
  | (ScriptedCall & { readonly say?: string })
  | { readonly calls: readonly ScriptedCall[]; readonly say?: string }

export type ExpectedCall = {
  [Of in Name]: {
    readonly capability: Of
    readonly input?: Subset<InputOf<Of>> | { readonly exact: InputOf<Of> }
    /** How often. Default: once or more. */
    readonly times?: number
    readonly output?: Subset<OutputOf<Of>> | { readonly exact: OutputOf<Of> }
    /** The message of its failure. */
    readonly error?: ExpectedText
  }
}[Name]

export interface TurnExpectation {
  /** Calls that the model asked for, others allowed. An empty list: none at all. */
  readonly calls?: readonly ExpectedCall[]
  /** True: the calls were asked for in the order of the list. */
  readonly inOrder?: boolean
  /** What the model said, all of it. */
  readonly answer?: ExpectedText
  /** Default: anything but `error`. */
  readonly finishReason?: 'stop' | 'length' | 'error' | 'approval_required'
  /** The error that ended the turn. */
  readonly error?: ExpectedText
}

export interface TestTurn {
  readonly user: string
  /** What the model does, of a `scripted` test. */
  readonly model?: readonly ScriptedStep[]
  /** True: calls that a person has to approve run as if one had. Without it they wait, as they do in the service. */
  readonly approve?: boolean
  readonly expect: TurnExpectation
}

/** A conversation with what must come of it, for `svc test`. */
export interface ConversationTest {
  /** Default: the file’s name. */
  readonly name?: string
  /** `scripted` (default): `model` of each turn; `demo`: the built-in model; `service`: through the running control plane. */
  readonly model?: 'scripted' | 'demo' | 'service'
  /** Capabilities without a mock run from the project. */
  readonly mocks?: { readonly [Of in Name]?: CapabilityMock<Of> | readonly CapabilityMock<Of>[] }
  readonly turns: readonly TestTurn[]
}

/**
 * Gives a `*.svc-test.ts` its types and changes nothing. Names, inputs and outputs are those of the project, once
 * `svc generate` has run.
 * @example
 * export default defineTest({
 *   turns: [{
 *     user: 'Where is A-1001?',
 *     model: [{ call: 'order-status', input: { orderNumber: 'A-1001' } }, { say: 'It was shipped.' }],
 *     expect: { calls: [{ capability: 'order-status', output: { status: 'shipped' } }] },
 *   }],
 * })
 */
export function defineTest(test: ConversationTest): ConversationTest {
  return test
}
