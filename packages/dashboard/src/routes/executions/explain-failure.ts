/** What failed: the call of a capability, or the execution around the model. */
export type Failed = 'call' | 'execution'

/**
 * What a failure most likely asks of the owner, in words that need no manual; null where nobody can know. Only the
 * service's own sentences are read, whole: whatever a capability says of itself is its author's to explain.
 */
export function explainFailure(of: Failed, message: string): string | null {
  const fixes = of === 'call' ? CALL_FIXES : EXECUTION_FIXES
  if (of === 'call' && message.endsWith(UNKNOWN_END) && !fixes.has(message)) {
    const fix = explainFailure(of, `${message.slice(0, -UNKNOWN_END.length)}.`)
    return fix && `${fix} Check in your own data whether the call had an effect.`
  }
  return fixes.get(message) ?? STOP_FIXES.get(message) ?? (of === 'call' ? statusFix(message) : null)
}

const UNKNOWN_END = ': whether the call had an effect is unknown.'

/** Every sentence that is explained word for word, by what it is of. */
export function explainedFailures(): Readonly<Record<Failed, readonly string[]>> {
  const ofStops = [...STOP_FIXES.keys()]
  return { call: [...CALL_FIXES.keys(), ...ofStops], execution: [...EXECUTION_FIXES.keys(), ...ofStops] }
}

const UNUSABLE = 'The answer was not JSON of the form {"output": …}. Check that nothing else listens at the endpoint.'
const TOO_MUCH = 'Return less: only what the question needs, such as one page of a list.'
const CALLER_LEFT = 'The visitor closed the page or stopped the answer. Nothing to fix.'
const ASK_AGAIN = 'This is not your fault. Ask again.'
const MODEL_BUSY = 'The model provider is busy or down. Ask again in a while.'
const OPERATOR = 'The operator of this service must check its model. The log has the answer of the provider.'

const CALL_FIXES: ReadonlyMap<string, string> = new Map([
  [
    'The endpoint could not be reached.',
    'Check that your server runs and that its address can be reached from the internet. Private addresses are refused unless the service allows them.',
  ],
  [
    'The connection broke off before the endpoint had answered.',
    'Your server, or a proxy before it, closed the connection. Check for restarts, and for timeouts shorter than the capability needs.',
  ],
  [
    'The endpoint did not answer in time.',
    'The capability exceeded the time limit of a call. Answer sooner, and finish slow work afterwards.',
  ],
  ['The endpoint gave an answer that could not be used.', UNUSABLE],
  ['The endpoint gave an answer that was too large.', TOO_MUCH],
  [
    'The service has no room for the endpoint’s answer just now.',
    'Your account has reached its limit of data in flight. Send fewer calls at once, or return less. The capability has run.',
  ],
  ['The endpoint gave an answer that was nested too deeply.', TOO_MUCH],
  [
    'The endpoint gave a compressed answer, which is not accepted.',
    'Switch compression off for the endpoint, in your server or in the proxy before it.',
  ],
  [
    'The endpoint answered with a redirect, which is not followed.',
    'Set the address that the redirect leads to as the endpoint.',
  ],
  [
    'The endpoint is not answering; calls to it are paused for a moment.',
    'Too many calls failed in a row. Single calls are still sent; the first success ends the pause.',
  ],
  [
    'Too many calls to the endpoint are under way.',
    'Your server answers more slowly than calls arrive. Make it faster, or add servers.',
  ],
  ['The call was cancelled.', CALLER_LEFT],
  [
    'The call was not made: the execution was stopped.',
    'Nothing was sent to your server. The error of the execution says why it was stopped.',
  ],
  [
    'The endpoint has just started and did not take the call.',
    'Create the handler when your server starts. On serverless platforms, use a shared nonce store.',
  ],
  [
    'The call was not made: the runtime has no endpoint.',
    'Set the endpoint under “Settings” of the runtime, or deploy with one.',
  ],
  ['The call was not made: the service was interrupted.', ASK_AGAIN],
  [
    'The execution ended before the answer came: whether the call had an effect is unknown.',
    'Check your own data. A second call with the same id must not repeat the effect.',
  ],
])

const STATUS = /^The endpoint answered with status (\d{3})\.$/

function statusFix(message: string): string | null {
  const status = Number(STATUS.exec(message)?.[1] ?? 0)
  if (status === 401) {
    return 'Your server did not accept the signature. Most likely its signing secret or runtime id belongs to another runtime, or its clock is wrong. Compare SVC_RUNTIME_SECRET and SVC_RUNTIME_ID, or rotate the secret.'
  }
  if (status === 404) {
    return 'The path of the endpoint is wrong, or the server does not know the capability. Check that the running code is the deployed code.'
  }
  if (status >= 500) return 'Your server failed before or in the capability. Its log at the time of the call says why.'
  if (status >= 400) {
    return 'A proxy, a firewall or your framework refused the call before your capability. Its log says why.'
  }
  return status > 0 ? UNUSABLE : null
}

const EXECUTION_FIXES: ReadonlyMap<string, string> = new Map([
  ['The model could not be reached.', MODEL_BUSY],
  ['The model is rate limited at the moment.', MODEL_BUSY],
  ['The model is not available at the moment.', MODEL_BUSY],
  ['The model took too long to answer.', MODEL_BUSY],
  ['The model’s answer was cut off.', MODEL_BUSY],
  ['The model provider reported an error within the answer.', MODEL_BUSY],
  ['The model ended its answer for a reason that is no end.', MODEL_BUSY],
  ['The model wrote a capability call that its provider could not read.', ASK_AGAIN],
  ['The model provider answered with something other than a stream of events.', OPERATOR],
  ['The service’s quota at the model provider is used up.', OPERATOR],
  [
    'The model provider withheld the answer.',
    'The content filter of the provider stopped the answer. Rephrase the question.',
  ],
  ['The model provider refused the service’s credential.', OPERATOR],
  ['The model provider refused the request.', OPERATOR],
  ['The model call was cancelled.', CALLER_LEFT],
  ['The execution was stopped.', ASK_AGAIN],
  [
    'Something went wrong on our side.',
    'Ask again. If it fails again, send the id of the execution to the operator of this service.',
  ],
])

/** What ends an execution from outside, a single call as well as a chat. */
const STOP_FIXES: ReadonlyMap<string, string> = new Map([
  ['The caller left or cancelled the execution before it ended.', CALLER_LEFT],
  [
    'The execution took too long and was stopped.',
    'The execution exceeded its time limit. The longest bar below shows where the time went.',
  ],
  ['The service was restarted while the execution ran.', ASK_AGAIN],
  ['The service was interrupted while the execution ran.', ASK_AGAIN],
  [
    'The outcome of the execution could not be recorded.',
    'Its calls may still have had an effect. Check your own data before you ask again.',
  ],
])
