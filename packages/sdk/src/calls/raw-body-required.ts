const ADVICE =
  'Mount this handler before any body parser, or hand it the bytes that the parser kept: a body that was parsed and ' +
  'written again is not what was signed.'

// “cut” is the caller’s fault or the network’s: the advice about parsers would send the owner the wrong way.
const MESSAGES = {
  parsed: `The signature covers the body’s exact bytes, and something parsed the body before this handler. ${ADVICE}`,
  read: `The signature covers the body’s exact bytes, and something read the body before this handler. ${ADVICE}`,
  text: `The signature covers the body’s exact bytes, and the body’s stream gave something other than bytes. ${ADVICE}`,
  cut: 'The body could not be read to its end.',
} as const

/** Why a body’s bytes cannot be had. */
export type RawBodyProblem = keyof typeof MESSAGES

/** The answer to a call whose exact bytes cannot be had: the code, and in words the reason and the fix. */
export function rawBodyRequired(problem: RawBodyProblem): {
  readonly error: 'raw_body_required'
  readonly message: string
} {
  return { error: 'raw_body_required', message: MESSAGES[problem] }
}
