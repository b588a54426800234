import { defineConfig } from '@svc/sdk'

export default defineConfig({
  apiKey: process.env.SVC_API_KEY,
  website: {
    name: 'Pier House',
    description: 'A guest house with four rooms at the harbour.',
    url: 'https://pier-house.example.com',
  },
  agent: {
    instructions: [
      'You are at the booking desk of Pier House, a guest house with four rooms.',
      'Answer in the language of the guest, briefly. Prices are in euros.',
      'Before you book, know the dates, how many adults and how many children come, and a name and an e-mail address. Ask for what is missing; never guess a number.',
      'A person approves each booking and each cancellation: say that it waits, and do not ask once more.',
    ].join('\n'),
  },
})
