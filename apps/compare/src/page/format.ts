/** Numbers as text. */

const DECIMAL = ['', ' k', ' M', ' G', ' T'];

/** Three significant digits, without trailing zeros. */
const digits = (value: number): string =>
  value >= 1000 ? Math.round(value).toLocaleString('en') : `${Number(value.toPrecision(3))}`;

/** 1000 is "1,000"; 3000000 "3 million"; 1048576 "1,048,576". */
export function formatLength(length: number): string {
  return length >= 1e6 && length % 1e5 === 0 ? `${length / 1e6} million` : formatCount(length);
}

/** For axes: 1000 is "1 k", 1048576 "1.05 M". */
export function formatTick(length: number): string {
  return length < 1000 ? `${length}` : formatRate(length);
}

export const formatCount = (count: number): string => count.toLocaleString('en');

/** Milliseconds as "850 µs", "12.3 ms" or "2.41 s". */
export function formatTime(milliseconds: number): string {
  if (!Number.isFinite(milliseconds)) return '–';
  if (milliseconds < 1) return `${digits(milliseconds * 1000)} µs`;
  return milliseconds < 1000 ? `${digits(milliseconds)} ms` : `${digits(milliseconds / 1000)} s`;
}

/** Keys a second as "230 M". */
export function formatRate(rate: number): string {
  if (!Number.isFinite(rate)) return '–';
  const power = Math.min(4, Math.max(0, Math.floor(Math.log10(rate) / 3)));
  return `${digits(rate / 1000 ** power)}${DECIMAL[power]}`;
}

/** "12.5×", or "109× slower" for a ratio below 1. */
export function formatRatio(ratio: number): string {
  if (!Number.isFinite(ratio)) return '–';
  const isSlower = digits(ratio) !== '1' && ratio < 1;
  return isSlower ? `${digits(1 / ratio)}× slower` : `${digits(ratio)}×`;
}

/** For axes: "10×", and "1/100" for a ratio below 1. */
export const formatRatioTick = (ratio: number): string =>
  ratio < 1 ? `1/${digits(1 / ratio)}` : `${digits(ratio)}×`;

/** Seconds as "about 2 minutes left". */
export function formatLeft(seconds: number): string {
  if (seconds < 5) return 'a few seconds left';
  if (seconds < 90) return `about ${Math.ceil(seconds / 5) * 5} seconds left`;
  return `about ${Math.round(seconds / 60)} minutes left`;
}

/** A moment as "22 November 2026, 22:10", in the reader's time. */
export const formatDate = (iso: string): string =>
  new Date(iso).toLocaleString('en-GB', { dateStyle: 'long', timeStyle: 'short' });

/** Bytes as "48 KiB". */
export function formatBytes(bytes: number): string {
  const units = ['bytes', 'KiB', 'MiB', 'GiB'];
  const power = Math.min(3, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  return `${digits(bytes / 1024 ** power)} ${units[power]}`;
}
