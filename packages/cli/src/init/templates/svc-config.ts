import type { Answers } from '../answers.ts'

export function svcConfig({ name, website, namespace }: Answers): string {
  const url = website === null ? '' : `, url: ${quoted(website)}`
  const adp =
    namespace === null
      ? `  // Before the names that other people’s agents read; without it no manifest is published:
  // adp: { namespace: 'com.example.shop' },`
      : `  adp: { namespace: ${quoted(namespace)} },`
  return `import { defineConfig } from '@svc/sdk'

export default defineConfig({
  apiKey: process.env.SVC_API_KEY,
  // Where src/server.ts can be reached, once it runs elsewhere than on this machine:
  // endpoint: 'https://shop.example.com/svc',
  website: { name: ${quoted(name)}${url} },
${adp}
})
`
}

function quoted(text: string): string {
  const escaped = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")
  return `'${escaped.replace(/[\u2028\u2029]/g, (mark) => `\\u${mark.charCodeAt(0).toString(16)}`)}'`
}
