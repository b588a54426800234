import type { Plant } from '../support/planted/plant.ts'

/** Known bugs that hostile input has to find, each aimed at one scenario. */
export const PLANTS: readonly Plant[] = [
  {
    name: 'every-address-is-public',
    breaks: 'no endpoint leads to an address that is not public',
    edits: [
      {
        file: 'dispatch/public-address.js',
        from: 'export function isPublicAddress(address) {',
        to: 'export function isPublicAddress(address) { if (address) return true;',
      },
    ],
    foundBy: { scenario: 'ssrf', engine: 'sqlite', scale: 0.02, check: 'connections to addresses inside' },
  },
  {
    name: 'origins-by-their-beginning',
    breaks: 'a page is let in by an exact entry of the list alone',
    edits: [
      {
        file: 'http/gate.js',
        from: 'runtime.allowedOrigins.includes(origin)',
        to: 'runtime.allowedOrigins.some((one) => origin.startsWith(one))',
      },
    ],
    foundBy: { scenario: 'origins', engine: 'sqlite', scale: 1, check: 'requests let in' },
  },
  {
    name: 'faults-with-their-stack',
    breaks: 'a fault is told in the envelope, and nothing beside it',
    edits: [
      {
        file: 'http/error-handler.js',
        from: '.send(JSON.stringify(fault.toBody()))',
        to: '.send(JSON.stringify({ ...fault.toBody(), stack: fault.stack }))',
      },
    ],
    foundBy: { scenario: 'requests', engine: 'sqlite', scale: 0.02, check: 'answers that are not in the envelope' },
  },
  {
    name: 'pages-of-others-trusted',
    breaks: 'a cookie changes things for pages of the service’s own alone',
    edits: [
      {
        file: 'http/own-origin.js',
        from: "origin === undefined ? request.headers['sec-fetch-site'] === 'same-origin'",
        to: 'origin === undefined ? true',
      },
    ],
    foundBy: {
      scenario: 'requests',
      engine: 'sqlite',
      scale: 0.04,
      check: 'changes by cookie for pages of others that were let in',
    },
  },
]
