/** A span of the week, in minutes from Monday 00:00; `to` may lie before `from`, across Sunday night. */
export interface WeekSpan {
  from: number;
  to: number;
  text: string;
}

const days = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
const day = `(${days.join('|')})s?`;
const dayMinutes = 1_440;
const weekMinutes = 7 * dayMinutes;

/** The days that a policy's clause names: "on Fridays", "at weekends", "between Friday 16:00 and Monday 08:00". */
export function weekSpansIn(text: string): WeekSpan[] {
  const between = new RegExp(
    String.raw`\b(?:between|from)\s+${day}(?:\s+(\d{1,2})(?::(\d\d))?)?\s+(?:and|to|until|till)\s+${day}(?:\s+(\d{1,2})(?::(\d\d))?)?`,
    'i',
  ).exec(text);
  if (between) {
    const [found, fromDay, fromHour, fromMinute, toDay, toHour, toMinute] = between;
    const to = toHour === undefined ? dayStart(toDay) + dayMinutes : dayStart(toDay) + minutes(toHour, toMinute);
    return [{ from: dayStart(fromDay) + minutes(fromHour, fromMinute), to, text: found }];
  }
  if (/\bweekends?\b/i.test(text)) return [{ from: 5 * dayMinutes, to: weekMinutes, text: 'weekend' }];
  return [...text.matchAll(new RegExp(String.raw`\b(?:on|every|each)\s+${day}`, 'gi'))].map(([found, name]) => ({
    from: dayStart(name),
    to: dayStart(name) + dayMinutes,
    text: found,
  }));
}

/** Whether the day that an action names lies in the span; without one, the moment of the check counts. */
export function inSpan(span: WeekSpan, summary: string, now: Date | undefined): boolean | undefined {
  const named = new RegExp(String.raw`\b${day}\b`, 'i').exec(summary)?.[1];
  if (named !== undefined) {
    const start = dayStart(named);
    const hour = /\b(\d{1,2}):(\d\d)\b/.exec(summary);
    if (hour) return within(span, start + minutes(hour[1], hour[2]));
    // Only the day is known: its working hours decide.
    return [9 * 60, 12 * 60, 17 * 60].some((minute) => within(span, start + minute));
  }
  if (/\bweekend\b/i.test(summary)) return within(span, 5.5 * dayMinutes);
  if (!now) return undefined;
  return within(span, ((now.getUTCDay() + 6) % 7) * dayMinutes + now.getUTCHours() * 60 + now.getUTCMinutes());
}

function within({ from, to }: WeekSpan, minute: number): boolean {
  return from <= to ? minute >= from && minute < to : minute >= from || minute < to;
}

function dayStart(name = ''): number {
  return days.indexOf(name.toLowerCase()) * dayMinutes;
}

function minutes(hour = '0', minute = '0'): number {
  return Number(hour) * 60 + Number(minute);
}
