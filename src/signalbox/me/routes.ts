// The caller, their permissions and their preferences.
import { can } from '../../kernel/identity/policy.ts';
import { route } from '../../kernel/http/route.ts';
import { requireOwn } from '../own-affairs.ts';
import {
  Me,
  patchPreferences,
  PermissionAnswers,
  PermissionQuestions,
  PreferencePatch,
  Preferences,
  toMe,
  type PreferenceValues,
} from './model.ts';
import { findPreferences, lockPreferences, upsertPreferences } from './store.ts';

const getMe = route(
  {
    id: 'getMe',
    method: 'GET',
    path: '/me',
    summary: 'Get the caller',
    description: 'Whose token or session it is, and which server answers.',
    access: 'caller',
    reply: { 200: Me },
  },
  ({ caller, now }, { release, publicUrl, program }) => toMe(caller, { release, publicUrl, program, now }),
);

const askPermissions = route(
  {
    id: 'askPermissions',
    method: 'POST',
    path: '/me/permissions',
    summary: 'Ask what the caller may do',
    description: 'Whether the caller may do an action on a resource, for many at once. It changes nothing.',
    access: 'caller',
    isData: true,
    worksOnFullDisk: true,
    body: PermissionQuestions,
    reply: { 200: PermissionAnswers },
  },
  ({ caller, body: { questions } }) => ({
    answers: questions.map(({ action, resource }) => ({
      action,
      resource,
      isAllowed: can(caller, action, resource),
    })),
  }),
);

const getPreferences = route(
  {
    id: 'getPreferences',
    method: 'GET',
    path: '/me/preferences',
    summary: "Get the caller's preferences",
    access: { action: 'viewPreferences' },
    reply: { 200: Preferences },
  },
  async (call, { db }) => {
    const memberId = requireOwn(call, 'preferences');
    return (await findPreferences(db, memberId)) ?? {};
  },
);

const updatePreferences = route(
  {
    id: 'updatePreferences',
    method: 'PATCH',
    path: '/me/preferences',
    summary: "Change the caller's preferences",
    description: 'What is absent stays as it is; null takes a choice back.',
    access: { action: 'updatePreferences' },
    isData: true,
    body: PreferencePatch,
    reply: { 200: Preferences },
  },
  async (call, { db }) => {
    const { body, now } = call;
    const id = requireOwn(call, 'preferences');
    return await db.transaction().execute(async (tx) => {
      const present = ((await lockPreferences(tx, id)) ?? {}) as PreferenceValues;
      const changed = patchPreferences(present, body);
      await upsertPreferences(tx, id, changed, now);
      return changed;
    });
  },
);

export const meRoutes = [getMe, askPermissions, getPreferences, updatePreferences];
