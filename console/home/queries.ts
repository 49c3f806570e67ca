// What home reads and changes: the attention list and its snoozes, figures of today, the activity.
import { path, type Call } from '../api/call.ts';
import { send } from '../api/client.ts';
import { ApiError } from '../api/error.ts';
import { keyOf, queries, usePages, useRead } from '../api/read.ts';
import type { Activity, AttentionItem, AttentionList, Today } from '../api/types/signalbox.ts';
import type { Product } from '../lib/activity.tsx';
import { toast } from '../ui/toast-store.ts';
import { WORDS } from './words.ts';

export type Urgency = AttentionItem['urgency'];
/** In the order in which they are shown. */
export const URGENCIES: readonly Urgency[] = ['waiting', 'failing', 'coming'];
const ATTENTION: Call = { api: 'signalbox', path: '/attention' };

/** What changes here is most of what somebody may have to look at. */
const TOPICS = ['activity', 'run', 'build', 'delivery', 'token-used'];

export function useAttention() {
  return useRead<AttentionList>({ call: ATTENTION, topics: TOPICS });
}

const snoozeCall = (id: string): Call => ({
  api: 'signalbox',
  path: path`/attention/${id}/snooze`,
});

function setItems(change: (items: AttentionItem[]) => AttentionItem[]): void {
  queries.setQueryData<AttentionList>(keyOf(ATTENTION), (present) =>
    present === undefined ? present : { ...present, items: change(present.items) },
  );
}

const readAgain = () => void queries.invalidateQueries({ queryKey: keyOf(ATTENTION) });
const reasonOf = (error: unknown) => (error instanceof ApiError ? error.message : String(error));

/** Gone at once, since Undo brings it back. */
export async function snooze(item: AttentionItem, until: number, untilText: string): Promise<void> {
  setItems((items) => items.filter(({ id }) => id !== item.id));
  try {
    await send({ ...snoozeCall(item.id), method: 'PUT', body: { until }, outlivesPage: true });
    readAgain();
    toast({
      text: WORDS.snooze.done(untilText),
      action: { label: WORDS.snooze.undo, run: () => void wake(item.id) },
    });
  } catch (error) {
    readAgain();
    toast({ text: WORDS.snooze.failed(reasonOf(error)), tone: 'bad' });
  }
}

export async function wake(id: string): Promise<void> {
  try {
    await send({ ...snoozeCall(id), method: 'DELETE' });
  } catch (error) {
    toast({ text: WORDS.snooze.undoFailed(reasonOf(error)), tone: 'bad' });
  }
  readAgain();
}

/** Of the day in the zone that the reader has chosen. */
export function useToday(timeZone: string) {
  return useRead<Today>({
    call: { api: 'signalbox', path: '/today', query: { timeZone } },
    topics: ['run'],
  });
}

/** Without topics: the list does not move under the pointer, and says how much is new. */
export function useActivity(product: Product | undefined) {
  return usePages<Activity>({
    call: { api: 'signalbox', path: '/activity', query: { product, limit: 10 } },
  });
}
