/** What an error most likely asks of the owner, in words that need no manual; null where nobody can know. */
export function explainFailure(message: string): string | null {
  return FIXES.find(([pattern]) => pattern.test(message))?.[1] ?? null
}

const FIXES: readonly (readonly [RegExp, string])[] = [
  [
    /could not be reached|connection broke off/,
    'Is your server up, and can its address be reached from here? Addresses of a private network are refused unless the service allows them.',
  ],
  [
    /did not answer in time/,
    'The capability took longer than calls may take. Answer sooner, and do the rest afterwards.',
  ],
  [
    /status 401/,
    'Your server did not accept the signature. It most likely holds another signing secret or runtime id than this runtime’s, or its clock is wrong. Compare SVC_RUNTIME_SECRET and SVC_RUNTIME_ID, or rotate the secret.',
  ],
  [
    /status 404/,
    'The endpoint’s path is another one, or this server does not know the capability. Is what is deployed also what runs?',
  ],
  [
    /status 4\d\d/,
    'Something before your capability refused the call: a proxy, a firewall or a framework’s own check. Its log says why.',
  ],
  [/status 5\d\d/, 'Your server failed before or in the capability. Its log at the time of the call says why.'],
  [
    /could not be used/,
    'The answer was no JSON of the form {"output": …}. Is something else listening at the endpoint?',
  ],
  [/too large|nested too deeply/, 'Return less: what the question needs, a page of a list instead of all of it.'],
  [/compressed answer/, 'Switch compression off for the endpoint, in your server or in the proxy before it.'],
  [/redirect/, 'Register the address that the redirect leads to: redirects are not followed.'],
  [
    /calls to it are paused/,
    'Too many calls failed in a row. One is let through now and then; the first that succeeds ends the pause.',
  ],
  [/[Tt]oo many calls/, 'Your server answers more slowly than calls come. Make it faster, or spread the load.'],
  [/end user|sign(ed)? in/i, 'The capability needs to know who asks: send endUserToken with the request.'],
  [/caller left/, 'The visitor closed the page, or stopped the answer. There is nothing to mend.'],
  [
    /took too long and was stopped/,
    'All steps together took longer than an execution may. Look at the longest bar below.',
  ],
  [/was restarted|was interrupted/, 'It was no fault of yours: ask again.'],
  [/credential/, 'The operator of this service has to look after its model credential.'],
  [
    /rate limited|not available at the moment|took too long to answer|model could not be reached/,
    'The model provider is busy or down. Ask again in a while.',
  ],
  [/withheld/, 'The model provider’s own filter stopped the answer. Other words may pass.'],
]
