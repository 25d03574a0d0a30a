SELECT create_distributed_table('stored', 'key');
