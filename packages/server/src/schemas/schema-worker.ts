import { serveJobs } from '../lib/serve-jobs.ts'
import { createSchemaJobs } from './jobs.ts'

serveJobs(createSchemaJobs())
