SELECT 'fsync is off' AS problem WHERE current_setting('fsync') <> 'on';
