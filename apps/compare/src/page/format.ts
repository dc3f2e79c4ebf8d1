/** Numbers as text. */

const BINARY = ['', ' Ki', ' Mi', ' Gi'];
const DECIMAL = ['', ' k', ' M', ' G', ' T'];

/** Three significant digits, without trailing zeros. */
export const digits = (value: number): string =>
  value >= 1000 ? Math.round(value).toLocaleString('en') : `${Number(value.toPrecision(3))}`;

/** 1048576 is "1 Mi"; 3000000 "3 M"; 12345 "12,345". */
export function formatLength(length: number): string {
  const power = Math.floor(Math.log2(Math.max(1, length)) / 10);
  if (length > 0 && length % 1024 ** power === 0)
    return `${length / 1024 ** power}${BINARY[power]}`;
  if (length % 1e6 === 0) return `${length / 1e6} M`;
  return length.toLocaleString('en');
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

/** "12.5×". */
export const formatRatio = (ratio: number): string =>
  Number.isFinite(ratio) ? `${digits(ratio)}×` : '–';

/** Seconds as "about 2 minutes left". */
export function formatLeft(seconds: number): string {
  if (seconds < 5) return 'a few seconds left';
  if (seconds < 90) return `about ${Math.ceil(seconds / 5) * 5} seconds left`;
  return `about ${Math.round(seconds / 60)} minutes left`;
}

/** Bytes as "48 KiB". */
export function formatBytes(bytes: number): string {
  const units = ['bytes', 'KiB', 'MiB', 'GiB'];
  const power = Math.min(3, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  return `${digits(bytes / 1024 ** power)} ${units[power]}`;
}
