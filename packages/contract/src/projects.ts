import * as z from 'zod'
import { Timestamp } from './json.ts'

const ProjectName = z.string().trim().min(1).max(100)
const ProjectDescription = z.string().trim().max(1000)

/** Groups runtimes for listing and analytics. */
export const Project = z.object({
  projectId: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  isDefault: z.boolean(),
  runtimeCount: z.int().nonnegative(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})
export type Project = z.infer<typeof Project>

export const ProjectList = z.object({ projects: z.array(Project), nextCursor: z.string().nullable() })
export type ProjectList = z.infer<typeof ProjectList>

/** Body of `POST /v1/projects`. */
export const CreateProjectRequest = z.strictObject({ name: ProjectName, description: ProjectDescription.nullish() })
export type CreateProjectRequest = z.infer<typeof CreateProjectRequest>

/** Body of `PATCH /v1/projects/<project_id>`: either field, or both. A description of null takes it away. */
export const UpdateProjectRequest = z
  .strictObject({ name: ProjectName.optional(), description: ProjectDescription.nullable().optional() })
  .refine(({ name, description }) => name !== undefined || description !== undefined, 'needs “name” or “description”.')
export type UpdateProjectRequest = z.infer<typeof UpdateProjectRequest>
