// Routes of the followers of a flag in an environment: list, add, remove. Members may follow every flag that they may view.
import { systemActor } from '../../kernel/identity/actor.ts';
import { findMember } from '../../kernel/identity/store-members.ts';
import { reply, route } from '../../kernel/http/route.ts';
import { Type } from '../../kernel/schema/schema.ts';
import { couldBeId } from '../fields.ts';
import { Links, linkTo } from '../links.ts';
import { PageQuery, sliceOf } from '../lists/list-query.ts';
import { toMemberSummary } from '../members/model.ts';
import { ByEnvironment, openEnvironment, unknownThing } from '../find-project.ts';
import { readFlagInEnvironment } from '../planned-changes/find-flag-in-environment.ts';
import {
  ByFlagInEnvironment,
  FLAG_IN_ENVIRONMENT,
  flagInEnvironmentPath,
  refOf,
  recordFlagChange,
} from '../planned-changes/flag-in-environment.ts';
import { deleteFollower, insertFollower, listFollowers, listFollowedFlags } from './store.ts';

const PATH = `${FLAG_IN_ENVIRONMENT}/followers` as const;
const action = 'manageFlagFollowers';
const MAX_PAGE = 1000;

const FollowerSchema = Type.Object(
  {
    _id: Type.String(),
    _links: Links,
    role: Type.String(),
    email: Type.String(),
    firstName: Type.Optional(Type.String()),
    lastName: Type.Optional(Type.String()),
  },
  { $id: 'FollowFlagMember' },
);

const list = route(
  {
    id: 'getFlagFollowers',
    method: 'GET',
    path: PATH,
    summary: 'List the members who follow a flag in an environment',
    access: { action: 'viewProject' },
    params: ByFlagInEnvironment,
    reply: {
      200: Type.Object(
        { items: Type.Array(FollowerSchema), totalCount: Type.Integer(), _links: Links },
        { $id: 'FlagFollowersGetRep' },
      ),
    },
  },
  async (call, { db }) => {
    const target = await readFlagInEnvironment(call, db, call.params);
    const items = (await listFollowers(db, refOf(target))).map(toMemberSummary);
    return {
      items,
      totalCount: items.length,
      _links: { self: linkTo(`${flagInEnvironmentPath(target)}/followers`) },
    };
  },
);

const listAll = route(
  {
    id: 'getFollowersByProjEnv',
    method: 'GET',
    path: '/projects/{projectKey}/environments/{environmentKey}/followers',
    summary: 'List the flags of an environment that somebody follows, and who does',
    access: { action: 'viewProject' },
    params: ByEnvironment,
    query: Type.Object(PageQuery),
    list: Type.Object(
      { flagKey: Type.String(), followers: Type.Array(FollowerSchema), _links: Links },
      { $id: 'FollowersPerFlag' },
    ),
  },
  async (call, { db }) => {
    const { projectKey, environmentKey } = call.params;
    const { environment } = await openEnvironment(call, db, projectKey, environmentKey);
    const page = await listFollowedFlags(db, environment.id, sliceOf(call.query, MAX_PAGE, MAX_PAGE));
    return page.map(({ flagKey, followers }) => ({
      flagKey,
      followers: followers.map(toMemberSummary),
      _links: {
        self: linkTo(`/projects/${projectKey}/flags/${flagKey}/environments/${environmentKey}/followers`),
      },
    }));
  },
);

const ByMember = Type.Object({ ...ByFlagInEnvironment.properties, memberId: Type.String() });

function changing(
  id: string,
  method: 'PUT' | 'DELETE',
  {
    summary,
    verb,
    change,
  }: { summary: string; verb: string; change: typeof insertFollower | typeof deleteFollower },
) {
  return route(
    {
      id,
      method,
      path: `${PATH}/{memberId}`,
      summary,
      access: { action },
      params: ByMember,
      reply: { 204: null },
    },
    async (call, { changes }) => {
      const { memberId } = call.params;
      await changes.run(call, async (tx) => {
        const { db } = tx;
        const target = await readFlagInEnvironment(call, db, call.params);
        const { caller } = call;
        const isOneself = memberId === caller.member.id && caller.token?.isService !== true;
        if (!call.can(target.resource) && !isOneself) call.requirePermission(target.resource);
        const member = couldBeId(memberId) ? await findMember(db, { id: memberId }) : undefined;
        if (member === undefined) throw unknownThing('member', memberId);
        if (!(await change(db, refOf(target), memberId, call.now))) return;
        recordFlagChange(isOneself ? tx.as(systemActor(call)) : tx, target, action, {
          verb,
          description: `- ${member.email}`,
        });
      });
      return reply(204);
    },
  );
}

const put = changing('putFlagFollower', 'PUT', {
  summary: 'Let a member follow a flag in an environment',
  verb: 'added a follower of',
  change: insertFollower,
});

const del = changing('deleteFlagFollower', 'DELETE', {
  summary: 'Let a member no longer follow a flag in an environment',
  verb: 'removed a follower of',
  change: deleteFollower,
});

export const followerRoutes = [list, listAll, put, del];
