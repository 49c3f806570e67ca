// Routes that list, create and get approval requests, among all or below a flag in an environment.
import { Page } from '../../kernel/http/reply/page.ts';
import { reply, route } from '../../kernel/http/route.ts';
import { Type } from '../../kernel/schema/schema.ts';
import { ExpandQuery, PageQuery, readExpand, sliceOf } from '../lists/list-query.ts';
import { readFlagInEnvironment } from '../planned-changes/find-flag-in-environment.ts';
import {
  ByFlagInEnvironment,
  ByFlagInEnvironmentAndId,
  FLAG_IN_ENVIRONMENT,
  refOf,
} from '../planned-changes/flag-in-environment.ts';
import { listProjectNames } from '../projects/store.ts';
import { projectResource } from '../policy/resources.ts';
import { createRequest } from './create-request.ts';
import { filterText, readApprovalFilter } from './store-filter.ts';
import { readResourceId } from './model.ts';
import { ById, expandRequest, findTargets, openRequest, showRequest } from './find-request.ts';
import {
  ApprovalRequestSchema,
  CopyRequestPost,
  APPROVAL_EXPANDABLE,
  FlagRequestPost,
  RequestPost,
  toApprovalRequest,
} from './representation.ts';
import { listApprovalRequests } from './store.ts';

export const ALL_REQUESTS = '/approval-requests';
export const FLAG_REQUESTS = `${FLAG_IN_ENVIRONMENT}/approval-requests` as const;

const MAX_PAGE = 200;
const action = 'createApprovalRequest';

const getAll = route(
  {
    id: 'getApprovalRequests',
    method: 'GET',
    path: ALL_REQUESTS,
    summary: 'List approval requests, newest first',
    access: { action: 'viewProject' },
    query: Type.Object({
      ...PageQuery,
      ...ExpandQuery(APPROVAL_EXPANDABLE),
      filter: Type.Optional(Type.String({ description: filterText })),
    }),
    list: ApprovalRequestSchema,
  },
  async (call, { db }) => {
    const { query } = call;
    const filter = readApprovalFilter(query.filter);
    const expand = readExpand(query.expand, APPROVAL_EXPANDABLE);
    const slice = sliceOf(query, 20, MAX_PAGE);
    const projects = await listProjectNames(db);
    const visible = projects.filter((project) => call.can(projectResource(project)));
    const page = await listApprovalRequests(db, {
      ...(visible.length < projects.length && { projectIds: visible.map(({ id }) => id) }),
      filter,
      slice,
    });
    const shown = [...(await findTargets(db, page.items))].map(([request, target]) => ({
      ...toApprovalRequest(request, target, 'all'),
      ...expandRequest(call, target, expand),
    }));
    return new Page(shown, page.total, slice);
  },
);

const getOfFlag = route(
  {
    id: 'getApprovalsForFlag',
    method: 'GET',
    path: FLAG_REQUESTS,
    summary: 'List the approval requests for a flag, newest first',
    access: { action: 'viewProject' },
    params: ByFlagInEnvironment,
    query: Type.Object(PageQuery),
    list: ApprovalRequestSchema,
  },
  async (call, { db }) => {
    const target = await readFlagInEnvironment(call, db, call.params);
    const slice = sliceOf(call.query, MAX_PAGE, MAX_PAGE);
    const page = await listApprovalRequests(db, { at: refOf(target), slice });
    return page.map((request) => toApprovalRequest(request, target));
  },
);

const post = route(
  {
    id: 'postApprovalRequest',
    method: 'POST',
    path: ALL_REQUESTS,
    summary: 'Ask for approval of a change',
    access: { action },
    body: RequestPost,
    reply: { 201: ApprovalRequestSchema },
  },
  async (call, kernel) => {
    const { resourceId, instructions, ...body } = call.body;
    const { projectKey, environmentKey, flagKey: featureFlagKey } = readResourceId(resourceId);
    const at = { projectKey, environmentKey, featureFlagKey };
    const shown = await createRequest(kernel, call, at, { ...body, plan: { instructions } }, 'all');
    return reply(201, shown, { location: shown._links.self.href });
  },
);

const postOfFlag = route(
  {
    id: 'postApprovalRequestForFlag',
    method: 'POST',
    path: FLAG_REQUESTS,
    summary: 'Ask for approval of a change of a flag',
    access: { action },
    params: ByFlagInEnvironment,
    body: FlagRequestPost,
    reply: { 201: ApprovalRequestSchema },
  },
  async (call, kernel) => {
    const { instructions, ...body } = call.body;
    const shown = await createRequest(kernel, call, call.params, { ...body, plan: { instructions } }, 'flag');
    return reply(201, shown, { location: shown._links.self.href });
  },
);

const postCopy = route(
  {
    id: 'postFlagCopyConfigApprovalRequest',
    method: 'POST',
    path: `${FLAG_IN_ENVIRONMENT}/approval-requests-flag-copy`,
    summary: 'Ask for approval of a copy of the configuration in another environment',
    access: { action },
    params: ByFlagInEnvironment,
    body: CopyRequestPost,
    reply: { 201: ApprovalRequestSchema },
  },
  async (call, kernel) => {
    const { source, includedActions, excludedActions, ...body } = call.body;
    const { key, version } = source;
    const copy = {
      source: { key, ...(version !== undefined && { currentVersion: version }) },
      ...(includedActions !== undefined && { includedActions }),
      ...(excludedActions !== undefined && { excludedActions }),
    };
    const wanted = { ...body, plan: { instructions: [], copy } };
    const shown = await createRequest(kernel, call, call.params, wanted, 'flag');
    return reply(201, shown, { location: shown._links.self.href });
  },
);

const get = route(
  {
    id: 'getApprovalRequest',
    method: 'GET',
    path: `${ALL_REQUESTS}/{id}`,
    summary: 'Get an approval request',
    access: { action: 'viewProject' },
    params: ById,
    query: Type.Object(ExpandQuery(APPROVAL_EXPANDABLE)),
    reply: { 200: ApprovalRequestSchema },
  },
  async (call, { db }) => {
    const expand = readExpand(call.query.expand, APPROVAL_EXPANDABLE);
    const opened = await openRequest(call, db, 'all');
    const shown = await showRequest(db, opened, 'all', call.now);
    return { ...shown, ...expandRequest(call, opened.target, expand) };
  },
);

const getOneOfFlag = route(
  {
    id: 'getApprovalForFlag',
    method: 'GET',
    path: `${FLAG_REQUESTS}/{id}`,
    summary: 'Get an approval request for a flag',
    access: { action: 'viewProject' },
    params: ByFlagInEnvironmentAndId,
    reply: { 200: ApprovalRequestSchema },
  },
  async (call, { db }) => showRequest(db, await openRequest(call, db, 'flag'), 'flag', call.now),
);

export const approvalRoutes = [getAll, getOfFlag, post, postOfFlag, postCopy, get, getOneOfFlag];
