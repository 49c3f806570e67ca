// Registering an app by its manifest: another site posts it, the visitor agrees here, and the code goes back to the site.
import type { FastifyReply } from 'fastify';
import { Failure } from '../../kernel/failure.ts';
import { formTargetOf, showPage, escapeHtml } from '../../kernel/http/pages/html.ts';
import type { PageRequest, PageRoute } from '../../kernel/http/pages/page-route.ts';
import { goTo } from '../../kernel/http/pages/session-pages.ts';
import { accountOf } from '../../kernel/identity/caller.ts';
import { requirePermission } from '../../kernel/identity/policy.ts';
import type { SessionCaller } from '../../kernel/identity/sessions/session-caller.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { problem } from '../../kernel/schema/schema.ts';
import { hashSecret, newSecret } from '../../kernel/secrets/secret.ts';
import { openManagedAccount } from '../app-manifests/app-owner.ts';
import {
  readAppManifest,
  packManifest,
  unpackManifest,
  type SentManifest,
  type AppManifest,
} from '../app-manifests/manifest.ts';
import { insertAppManifest } from '../app-manifests/store.ts';
import { appResource, isAppName, appSlugOf } from '../apps/app.ts';
import { findAppBySlug } from '../apps/store.ts';
import type { RepositoryOwner } from '../owners/model.ts';
import {
  appFrame,
  signForm,
  findVisitor,
  openForm,
  pageForMembers,
  settingsPathOf,
  settingsPaths,
  eventList,
  outsideLink,
  permissionList,
  hiddenFields,
} from './page-forms.ts';

const CODE_MS = 60 * 60 * 1000;
const MAX_STATE = 4096;

/** Where the apps of an account are. */
function pathOf({ params: { org } }: PageRequest): string {
  return `${settingsPathOf(org)}/apps`;
}

/** May come from any site, and changes nothing. Browsers send the session with the page that it leads to. */
async function takeManifest(request: PageRequest, reply: FastifyReply, kernel: Kernel) {
  await findVisitor(request, kernel);
  const { text, state } = readSent(request.form, request.query.get('state'), kernel);
  return goTo(request, reply, `${pathOf(request)}/new?manifest=${packManifest({ text, state })}`);
}

const showAsked = pageForMembers(async (request, reply, kernel, visitor) => {
  const packed = request.query.get('manifest');
  if (packed === null) return showPage(reply, 200, manifestFormPage(`${pathOf(request)}/new`));
  const sent = readManifest(unpackManifest(packed), kernel);
  const owner = await ownerFor(request, visitor, kernel);
  return showConsent(request, reply, kernel, { visitor, sent, owner, name: sent.manifest.name });
});

interface Consent {
  visitor: SessionCaller;
  sent: ReadManifest;
  owner: RepositoryOwner;
  name: string;
  problem?: string;
}

function showConsent(
  request: PageRequest,
  reply: FastifyReply,
  { secrets, clock }: Kernel,
  { visitor, sent, owner, name, problem: wrong }: Consent,
) {
  const path = pathOf(request);
  const token = signForm(secrets, visitor.session, shownOf(path, sent.text, sent.state), clock.now());
  const page = consentPage(sent, {
    path,
    token,
    owner: owner.login,
    name,
    ...(wrong !== undefined && { problem: wrong }),
  });
  const { redirect } = sent.manifest.urls;
  return showPage(
    reply,
    wrong === undefined ? 200 : 422,
    page,
    redirect === null ? [] : [formTargetOf(redirect)],
  );
}

/** The token binds the consent to these. */
function shownOf(path: string, text: string, state: string): string[] {
  return ['register', path, text, state];
}

async function agree(request: PageRequest, reply: FastifyReply, kernel: Kernel) {
  const { db, clock, publicUrl } = kernel;
  const { form } = request;
  const shown = shownOf(pathOf(request), form.get('manifest') ?? '', form.get('state') ?? '');
  const { visitor, token } = await openForm(request, kernel, shown);
  const sent = readSent(form, null, kernel);
  const owner = await ownerFor(request, visitor, kernel);
  const name = (form.get('name') ?? '').trim();
  const again = (words: string) =>
    showConsent(request, reply, kernel, { visitor, sent, owner, name, problem: words });
  const slug = isAppName(name) ? appSlugOf(name) : undefined;
  if (slug === undefined) return again('A name has 1 to 34 characters, some of them letters or digits.');
  if ((await findAppBySlug(db, slug)) !== undefined)
    return again('Another app has this name. Choose another.');
  requirePermission(visitor.caller, 'createApp', appResource({ slug }));
  const now = clock.now();
  const code = newSecret('');
  const agreed = {
    codeHash: code.hash,
    consentHash: hashSecret(token),
    ownerId: owner.id,
    creatorId: accountOf(visitor.caller).id,
    manifest: { ...sent.manifest, name },
    expiresAt: now + CODE_MS,
  };
  if (!(await insertAppManifest(db, agreed, now)))
    throw new Failure('conflict', 'You have agreed to this already. Begin again to register another app.');
  const { redirect } = sent.manifest.urls;
  if (redirect === null) return showPage(reply, 200, codePage(code.value, publicUrl));
  const target = new URL(redirect);
  target.searchParams.set('code', code.value);
  if (sent.state !== '') target.searchParams.set('state', sent.state);
  return goTo(request, reply, target.href);
}

async function ownerFor(
  { params: { org } }: PageRequest,
  { caller }: SessionCaller,
  { db }: Kernel,
): Promise<RepositoryOwner> {
  return await openManagedAccount(db, caller, org ?? accountOf(caller).username);
}

function readSent(form: URLSearchParams, query: string | null, kernel: Kernel): ReadManifest {
  return readManifest({ text: form.get('manifest') ?? '', state: form.get('state') ?? query ?? '' }, kernel);
}

function readManifest({ text, state }: SentManifest, { guard }: Kernel): ReadManifest {
  if (text === '') throw problem('manifest', 'is required');
  if (state.length > MAX_STATE) throw problem('state', `must have at most ${MAX_STATE} characters`);
  return { text, state, manifest: readAppManifest(text, (url) => guard.checkUrl(url)) };
}

export const registerPages: PageRoute[] = [
  ...settingsPaths('apps/new').flatMap((path): PageRoute[] => [
    { method: 'GET', path, handle: showAsked },
    { method: 'POST', path, handle: takeManifest },
  ]),
  ...settingsPaths('apps').map((path): PageRoute => ({ method: 'POST', path, handle: agree })),
];

/** What is sent along from page to page, and what it asks for. */
interface ReadManifest extends SentManifest {
  manifest: AppManifest;
}

function manifestFormPage(path: string): string {
  return appFrame(
    'Register an app',
    `<p>Sites that have an app for you send its manifest to this address. You can also enter one:</p>
     <form method="post" action="${escapeHtml(path)}"><label>Manifest, as JSON
       <textarea name="manifest" required spellcheck="false" autocapitalize="none"></textarea></label>
     <button>Continue</button></form>`,
  );
}

interface ConsentForm {
  /** Where it is sent. */
  path: string;
  token: string;
  /** The account that will own the app. */
  owner: string;
  /** As typed before. */
  name: string;
  problem?: string;
}

function consentPage(
  { text, state, manifest }: ReadManifest,
  { path, token, owner, name, problem: refusal }: ConsentForm,
): string {
  const alert = refusal === undefined ? '' : `<p role="alert" id="problem">${escapeHtml(refusal)}</p>`;
  const wrong = refusal === undefined ? '' : ' aria-invalid="true" aria-describedby="problem"';
  const { redirect } = manifest.urls;
  const next =
    redirect === null
      ? '<p>Afterwards this page shows the code that turns the manifest into an app.</p>'
      : `<p>Afterwards you go on to <code>${escapeHtml(redirect)}</code>, which gets the keys of the app.</p>`;
  return appFrame(
    `Register an app for ${escapeHtml(owner)}`,
    `${alert}<p>Nothing has been registered so far. This app asks for:</p>${askedFor(manifest)}${next}
     <form method="post" action="${escapeHtml(path)}">${hiddenFields({ manifest: text, state, token })}
     <label>Name of the app
       <input name="name" value="${escapeHtml(name)}" maxlength="34" required autocomplete="off"${wrong}></label>
     <button>Register the app for ${escapeHtml(owner)}</button></form>`,
  );
}

/** For manifests without an address to go on to. */
function codePage(code: string, publicUrl: string): string {
  return appFrame(
    'You agreed',
    `<p>This call turns the manifest into an app, and prints its keys. It works once, within an hour:</p>
     <p><code>curl -X POST ${escapeHtml(publicUrl)}/app-manifests/${escapeHtml(code)}/conversions</code></p>`,
  );
}

function askedFor({
  description,
  externalUrl,
  isPublic,
  permissions,
  events,
  urls,
  hook,
}: AppManifest): string {
  const about = description === null ? '' : `<p>${escapeHtml(description)}</p>`;
  const hookLine =
    hook.url === null
      ? '<p>It has no webhook.</p>'
      : `<p>Events are sent to <code>${escapeHtml(hook.url)}</code>${hook.isActive ? '' : ' once the webhook is turned on'}.</p>`;
  const setup =
    urls.setup === null ? '' : `<p>Who installs it goes on to <code>${escapeHtml(urls.setup)}</code>.</p>`;
  return `${about}<p>Website: ${outsideLink(externalUrl)}</p>
    <p>${isPublic ? 'Anybody on this server can install it.' : 'Only its owner can install it.'}</p>
    ${permissionList(permissions)}${eventList(events)}${hookLine}${setup}`;
}
