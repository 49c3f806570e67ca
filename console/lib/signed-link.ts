// Downloads: the browser fetches them itself and can send no header, so the server signs a link for one minute.
import { addressOf, type Call } from '../api/call.ts';
import { send } from '../api/client.ts';
import { ApiError } from '../api/error.ts';
import type { Link } from '../api/types/signalbox.ts';
import { toast } from '../ui/toast-store.ts';

const FAILED = (reason: string) => `The download did not start: ${reason}`;

/** Of a call that only reads. What users have stored may be at another origin, to which a link has to say that it is for saving. */
export async function signLink(call: Call, isDownload = false): Promise<string> {
  const { body } = await send<Link>({
    api: 'signalbox',
    method: 'POST',
    path: '/links',
    body: { path: addressOf(call), ...(isDownload && { isDownload }) },
  });
  return body.url;
}

/** In another tab, for what browsers show themselves. */
export async function openInTab(call: Call): Promise<void> {
  await follow(call, (link) => {
    link.target = '_blank';
  });
}

/** The page stays: what the link answers is saved, because the call asks for a file. */
export async function download(call: Call): Promise<void> {
  await follow(
    call,
    (link) => {
      link.download = '';
    },
    true,
  );
}

async function follow(
  call: Call,
  prepare: (link: HTMLAnchorElement) => void,
  isDownload = false,
): Promise<void> {
  try {
    const link = document.createElement('a');
    link.href = await signLink(call, isDownload);
    link.rel = 'noreferrer';
    prepare(link);
    link.click();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    toast({ text: FAILED(error.message), tone: 'bad' });
  }
}
