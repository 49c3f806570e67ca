// Members, teams and tokens in the search, as the lists of the flags API show them.
import { memberResource } from '../../flags/members/model.ts';
import { teamResource } from '../../flags/teams/model.ts';
import { isTokenOwner, tokenResource } from '../../flags/tokens/model.ts';
import type { FoundItem } from './model.ts';
import type { SearchSource } from './source.ts';
import {
  readMemberRecords,
  readTeamRecords,
  readTokenRecords,
  SERVICE_SCOPE,
  type SearchedMember,
  type TeamRecord,
  type TokenRecord,
} from './store-account-records.ts';

const memberSource: SearchSource<SearchedMember> = {
  name: 'member',
  kinds: ['member'],
  read: readMemberRecords,
  show: ({ can }, records) =>
    Promise.resolve(
      records
        .filter(({ member }) => can(memberResource(member), 'viewMember'))
        .map(({ kind, id, name: title, member }): FoundItem => ({
          kind,
          id,
          title,
          detail: `${member.username} · ${member.email} · ${member.role}`,
          path: `account/members?q=${encodeURIComponent(member.username)}`,
          resource: memberResource(member),
          at: member.updatedAt,
        })),
    ),
};

const teamSource: SearchSource<TeamRecord> = {
  name: 'team',
  kinds: ['team'],
  read: readTeamRecords,
  show: ({ can }, records) =>
    Promise.resolve(
      records
        .filter((team) => can(teamResource(team), 'viewTeam'))
        .map((team): FoundItem => ({
          kind: team.kind,
          id: team.id,
          title: team.name,
          detail: team.key,
          path: `account/teams?q=${encodeURIComponent(team.key)}`,
          resource: teamResource(team),
          at: team.at,
        })),
    ),
};

const tokenSource: SearchSource<TokenRecord> = {
  name: 'token',
  kinds: ['token'],
  read: readTokenRecords,
  scopesOf: ({ caller, can }) =>
    can('member/*:token/*', 'viewAccessToken')
      ? undefined
      : [SERVICE_SCOPE, ...(isTokenOwner(caller, caller.member.id) ? [caller.member.id] : [])],
  show: ({ caller, can }, records) =>
    Promise.resolve(
      records
        .filter((token) => can(tokenResource(token, caller), 'viewAccessToken'))
        .map((token): FoundItem => ({
          kind: token.kind,
          id: token.id,
          title: token.name,
          detail: `${token.isService ? 'service token' : 'token'} …${token.ending}`,
          path: `account/tokens?q=${encodeURIComponent(token.ending || token.name)}`,
          resource: tokenResource(token, caller),
          at: token.at,
        })),
    ),
};

export const accountSources = [memberSource, teamSource, tokenSource];
