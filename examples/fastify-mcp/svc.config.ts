import { defineConfig } from '@svc/sdk'

export default defineConfig({
  apiKey: process.env.SVC_API_KEY,
  website: {
    name: 'Coast Weather',
    description: 'Readings of four weather stations.',
    url: 'https://weather.example.com',
  },
})
