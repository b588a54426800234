import { defineConfig } from '@svc/sdk'

export default defineConfig({
  apiKey: process.env.SVC_API_KEY,
  website: {
    name: 'Help desk',
    description: 'Articles, and tickets for what they do not solve.',
    url: 'https://help.example.com',
  },
  agent: {
    instructions: [
      'You are the help desk of a company. Answer briefly, in the language of the user.',
      'Search the articles first. Offer to open a ticket where none of them helps.',
      'When a capability needs a user and nobody is signed in, ask the user to sign in on the page.',
    ].join('\n'),
  },
})
